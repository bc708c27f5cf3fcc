//! The suite that every engine passes.

use std::{sync::Arc, time::Duration};

use steadfast::{Kind, atomic_unit, provider_call, repository};

use super::engine::{self, Database, DbExecutor, Pool, Tx, engine_test};
use crate::engines::{Error, Runs, cancelled_after};

async fn database() -> Database {
    let database = Database::create().await;
    for sql in [
        "create table hot (id bigint primary key, n bigint not null)",
        "insert into hot values (1, 0)",
        "create table events (id bigint primary key, note text not null)",
        "create table pairs (side text not null, id bigint not null)",
    ] {
        sqlx::query(sql).execute(database.pool()).await.unwrap();
    }
    database
}

async fn count(pool: &Pool, sql: &'static str) -> i64 {
    sqlx::query_scalar(sql).fetch_one(pool).await.unwrap()
}

// ---------------------------------------------------------------------------------------------------- one hot row

#[atomic_unit(retry = patient)]
async fn increment(tx: &mut Tx<'_>, runs: &Runs) -> Result<(), Error> {
    runs.count();
    let n: i64 = sqlx::query_scalar("select n from hot where id = 1").fetch_one(&mut *tx).await?;
    sqlx::query(engine::sql("update hot set n = $1 where id = 1")).bind(n + 1).execute(&mut *tx).await?;
    Ok(())
}

engine_test! {
    /// Eight tasks, twenty units each: all succeed, each is applied exactly once, and contention was there to be retried.
    async fn eight_tasks_on_one_hot_row_all_succeed() {
        let database = database().await;
        let pool = engine::contended(&database, 8).await;
        let runs = Arc::new(Runs::default());
        let tasks: Vec<_> = (0..8)
            .map(|_| {
                let (pool, runs) = (pool.clone(), Arc::clone(&runs));
                tokio::spawn(async move {
                    let mut ok = 0;
                    for _ in 0..20 {
                        ok += u32::from(increment(&pool, &runs).await.is_ok());
                    }
                    ok
                })
            })
            .collect();
        let mut ok = 0;
        for task in tasks {
            ok += task.await.unwrap();
        }
        assert_eq!(ok, 160);
        assert_eq!(count(&pool, "select n from hot where id = 1").await, 160);
        assert!(runs.total() >= 160, "{}", runs.total());
    }
}

// ------------------------------------------------------------------------------------------ commit and roll back

#[atomic_unit(retry = contention)]
async fn note(tx: &mut Tx<'_>, id: i64, text: &str, fail: bool) -> Result<i64, Error> {
    sqlx::query(engine::sql("insert into events values ($1, $2)")).bind(id).bind(text).execute(&mut *tx).await?;
    if fail {
        return Err(Error::Domain);
    }
    Ok(id)
}

engine_test! {
    async fn ok_commits_and_a_domain_error_rolls_back() {
        let database = database().await;
        assert_eq!(note(database.pool(), 7, "kept", false).await.unwrap(), 7);
        assert!(matches!(note(database.pool(), 8, "gone", true).await, Err(Error::Domain)));
        assert_eq!(count(database.pool(), "select count(*) from events").await, 1);
        assert_eq!(count(database.pool(), "select id from events").await, 7);
    }
}

#[atomic_unit(retry = contention)]
async fn disguise(tx: &mut Tx<'_>) -> Result<(), Error> {
    let answer = sqlx::query("insert into events values (1, null)").execute(&mut *tx).await;
    answer.map(drop).map_err(|_| Error::Domain)
}

engine_test! {
    async fn the_body_may_turn_a_refusal_into_its_own_error() {
        let database = database().await;
        assert!(matches!(disguise(database.pool()).await, Err(Error::Domain)));
    }
}

#[atomic_unit(retry = contention)]
async fn look_for_nothing(tx: &mut Tx<'_>) -> Result<&'static str, Error> {
    let row = sqlx::query_scalar::<_, i64>("select n from hot where id = 99").fetch_one(&mut *tx).await;
    assert!(matches!(row, Err(sqlx::Error::RowNotFound)));
    let wrong = sqlx::query_scalar::<_, String>("select n from hot where id = 1").fetch_one(&mut *tx).await;
    assert!(wrong.is_err());
    sqlx::query("insert into events values (1, 'still there')").execute(&mut *tx).await?;
    Ok("committed")
}

engine_test! {
    /// `RowNotFound` and decoding errors arise on this side: the database has refused nothing.
    async fn a_missing_row_does_not_end_the_unit() {
        let database = database().await;
        assert_eq!(look_for_nothing(database.pool()).await.unwrap(), "committed");
        assert_eq!(count(database.pool(), "select count(*) from events").await, 1);
    }
}

// -------------------------------------------------------------------------------------------- transaction control

#[atomic_unit(retry = contention)]
async fn control(tx: &mut Tx<'_>, sql: &'static str, raw: bool) -> Result<(), Error> {
    sqlx::query("insert into events values (1, 'x')").execute(&mut *tx).await?;
    if raw {
        sqlx::raw_sql(sql).execute(&mut *tx).await?;
    } else {
        sqlx::query(sql).execute(&mut *tx).await?;
    }
    Ok(())
}

engine_test! {
    async fn a_body_cannot_end_or_nest_its_transaction() {
        let database = database().await;
        for (sql, raw) in [
            ("commit", false),
            ("/* really */ Commit", true),
            ("rollback", false),
            ("begin", true),
            ("savepoint a", false),
            ("update hot set n = 1; commit", true),
            ("update hot set n = 1; update hot set n = 2", true),
        ] {
            let error = control(database.pool(), sql, raw).await.unwrap_err();
            // PostgreSQL itself takes one statement a text.
            let says = ["inside an atomic unit", "cannot insert multiple commands"];
            assert!(says.iter().any(|says| error.to_string().contains(says)), "{sql}: {error}");
        }
        assert_eq!(count(database.pool(), "select count(*) from events").await, 0);
        assert_eq!(count(database.pool(), "select n from hot").await, 0);
        assert_eq!(engine::inside_transaction(database.pool()).await, 0);
    }
}

// ------------------------------------------------------------------------------------------------------- one layer

#[atomic_unit(retry = contention)]
async fn outer(tx: &mut Tx<'_>, service: &Service) -> Result<(), Error> {
    sqlx::query("insert into events values (1, 'outer')").execute(&mut *tx).await?;
    note(&service.db, 2, "inner", false).await.map(drop)
}

#[provider_call(retry = limited)]
async fn send(runs: &Runs) -> Result<(), Error> {
    runs.count();
    Ok(())
}

#[provider_call(retry = provider, idempotent = read)]
async fn fetch(runs: &Runs) -> Result<(), Error> {
    runs.count();
    Err(Error::Db(sqlx::Error::PoolClosed))
}

#[atomic_unit(retry = contention)]
async fn unit_with_calls(tx: &mut Tx<'_>, sent: &Runs, fetched: &Runs) -> Result<(), Error> {
    sqlx::query("insert into events values (1, 'outer')").execute(&mut *tx).await?;
    assert!(fetch(fetched).await.is_err());
    send(sent).await
}

#[derive(Debug)]
struct Service {
    db: Pool,
}

engine_test! {
    /// It would commit on its own and again at the outer replay.
    async fn a_unit_inside_a_unit_does_not_run() {
        let database = database().await;
        let service = Service { db: database.pool().clone() };
        let failure = outer(database.pool(), &service).await.unwrap_err().unit();
        assert_eq!((failure.kind(), failure.attempts()), (Kind::Nested, 0));
        assert!(failure.to_string().contains("takes `&mut Tx<'_>`"), "{failure}");
        assert_eq!(count(database.pool(), "select count(*) from events").await, 0);
        // Outside again, both run.
        assert!(note(database.pool(), 2, "inner", false).await.is_ok());
    }
}

engine_test! {
    /// A write without a key is refused, a read runs once and hands its failure up.
    async fn provider_calls_inside_a_unit() {
        let database = database().await;
        let (sent, fetched) = (Runs::default(), Runs::default());
        let failure = unit_with_calls(database.pool(), &sent, &fetched).await.unwrap_err().unit();
        assert_eq!(failure.kind(), Kind::Nested);
        assert_eq!((sent.total(), fetched.total()), (0, 1));
        assert_eq!(count(database.pool(), "select count(*) from events").await, 0);
    }
}

// ---------------------------------------------------------------------------------------------- answers: `read`

#[atomic_unit(retry = transient, idempotent = read)]
async fn read(tx: &mut Tx<'_>, write: bool) -> Result<i64, Error> {
    if write {
        sqlx::query("update hot set n = 5 where id = 1").execute(&mut *tx).await?;
    }
    Ok(sqlx::query_scalar("select n from hot where id = 1").fetch_one(&mut *tx).await?)
}

engine_test! {
    /// `idempotent = read` is checked by the database, and leaves nothing behind on the connection.
    async fn a_reading_unit_cannot_write() {
        let database = engine::one_connection().await;
        sqlx::query("create table hot (id bigint primary key, n bigint not null)").execute(database.pool()).await.unwrap();
        sqlx::query("insert into hot values (1, 3)").execute(database.pool()).await.unwrap();
        assert_eq!(read(database.pool(), false).await.unwrap(), 3);
        assert!(matches!(read(database.pool(), true).await, Err(Error::Db(_))));
        assert_eq!(read(database.pool(), false).await.unwrap(), 3);
        sqlx::query("update hot set n = 4 where id = 1").execute(database.pool()).await.unwrap();
        assert_eq!(count(database.pool(), "select n from hot").await, 4);
    }
}

// ------------------------------------------------------------------------------------------------- forms of units

struct Trials {
    db: Pool,
}

trait Closing {
    fn close(&self, id: i64) -> impl Future<Output = Result<i64, Error>> + Send;
}

impl Closing for Trials {
    #[atomic_unit(retry = contention, pool = self.db)]
    async fn close(&self, tx: &mut Tx<'_>, id: i64) -> Result<i64, Error> {
        store::append(tx, id, "closed").await?;
        Ok(id)
    }
}

impl Trials {
    #[atomic_unit(retry = contention)]
    async fn rename<T>(
        &self,
        tx: &mut Tx<'_>,
        id: i64,
        (a, b): (String, String),
        text: impl Into<String> + Clone + Send,
        marker: &T,
    ) -> Result<T, Error>
    where
        T: Clone + Send + Sync,
    {
        let text = format!("{a}{b}{}", text.into());
        store::append(tx, id, &text).await?;
        store::append_with(&mut *tx, id + 1).await?;
        Ok(marker.clone())
    }
}

mod store {
    use super::{DbExecutor, Error, Tx, engine, repository};

    #[repository]
    pub(super) async fn append(tx: &mut Tx<'_>, id: i64, text: &str) -> Result<(), Error> {
        sqlx::query(engine::sql("insert into events values ($1, $2)")).bind(id).bind(text).execute(&mut *tx).await?;
        Ok(())
    }

    #[repository]
    pub(super) async fn append_with(db: impl DbExecutor<'_>, id: i64) -> Result<(), Error> {
        sqlx::query(engine::sql("insert into events values ($1, 'by executor')")).bind(id).execute(db).await?;
        Ok(())
    }
}

macro_rules! made {
    ($name:ident($tx:ident, $id:ident) $body:block) => {
        #[atomic_unit(retry = contention)]
        async fn $name($tx: &mut Tx<'_>, $id: i64) -> Result<(), Error> $body
    };
}
made! { by_macro(tx, id) { store::append(tx, id, "made").await } }

/// A function may be called like a type that the expansion speaks of.
#[atomic_unit(retry = contention)]
async fn str(tx: &mut Tx<'_>, pool: i64) -> Result<(), Error> {
    store::append(tx, pool, "str").await
}

engine_test! {
    /// Trait methods, `pool = self.db`, generics, patterns and `impl Trait` arguments; each is spawned.
    async fn every_form_of_a_unit_runs_and_can_be_spawned() {
        let database = database().await;
        let trials = Arc::new(Trials { db: database.pool().clone() });
        let by_trait = Arc::clone(&trials);
        assert_eq!(tokio::spawn(async move { by_trait.close(1).await }).await.unwrap().unwrap(), 1);
        let shared = Arc::new(database.pool().clone());
        let renamed = tokio::spawn(async move {
            trials.rename(&shared, 2, ("a".into(), "b".into()), "c", &'m').await
        });
        assert_eq!(renamed.await.unwrap().unwrap(), 'm');
        by_macro(database.pool(), 4).await.unwrap();
        str(database.pool(), 5).await.unwrap();
        assert_eq!(count(database.pool(), "select count(*) from events").await, 5);
        assert_eq!(count(database.pool(), "select count(*) from events where note = 'abc'").await, 1);
    }
}

#[atomic_unit(retry = contention)]
async fn shapes_of_statements(tx: &mut Tx<'_>) -> Result<Vec<(i64, String)>, Error> {
    use futures_util::TryStreamExt;
    let mut many = sqlx::QueryBuilder::new("insert into events ");
    many.push_values([(1_i64, "one"), (2, "two")], |mut row, (id, text)| {
        row.push_bind(id).push_bind(text);
    });
    many.build().execute(&mut *tx).await?;
    let mut rows = Vec::new();
    {
        let mut stream = sqlx::query_as::<_, (i64, String)>("select id, note from events order by id").fetch(&mut *tx);
        while let Some(row) = stream.try_next().await? {
            rows.push(row);
        }
    }
    let found: Option<i64> = sqlx::query_scalar(engine::sql("select id from events where id = $1"))
        .bind(9_i64)
        .fetch_optional(&mut *tx)
        .await?;
    assert_eq!(found, None);
    Ok(rows)
}

engine_test! {
    async fn streams_builders_and_scalars_run_on_the_transaction() {
        let database = database().await;
        let rows = shapes_of_statements(database.pool()).await.unwrap();
        assert_eq!(rows, [(1, "one".to_owned()), (2, "two".to_owned())]);
    }
}

// --------------------------------------------------------------------------------------------------- cancellation

#[atomic_unit(retry = patient)]
async fn pair(tx: &mut Tx<'_>, id: i64) -> Result<(), Error> {
    sqlx::query(engine::sql("insert into pairs values ('left', $1)")).bind(id).execute(&mut *tx).await?;
    tokio::task::yield_now().await;
    sqlx::query(engine::sql("insert into pairs values ('right', $1)")).bind(id).execute(&mut *tx).await?;
    Ok(())
}

engine_test! {
    /// 200 units dropped at random moments, BEGIN and COMMIT among them: no pooled connection is left in a transaction, and
    /// each unit is applied whole or not at all.
    async fn a_cancelled_unit_leaves_no_connection_in_a_transaction() {
        let database = database().await;
        let pool = engine::contended(&database, 4).await;
        let mut cancelled = 0;
        for id in 0..200 {
            // Mostly few; a busy machine may need more of them for each unit, and then some must come to their end all the same.
            let polls = rand::random_range(0..if id % 2 == 0 { 8 } else { 256 });
            cancelled += u32::from(cancelled_after(polls, pair(&pool, id)).await.is_none());
        }
        assert!((15..200).contains(&cancelled), "{cancelled} of 200 were cancelled");
        assert_eq!(engine::inside_transaction(&pool).await, 0);
        let left = count(&pool, "select count(*) from pairs where side = 'left'").await;
        assert_eq!(left, count(&pool, "select count(*) from pairs where side = 'right'").await);
        // The check above can fail: this is what it would have found.
        let mut stale = pool.acquire().await.unwrap();
        sqlx::raw_sql("begin").execute(&mut *stale).await.unwrap();
        drop(stale);
        assert_eq!(engine::inside_transaction(&pool).await, 1);
    }
}

#[atomic_unit(retry = contention)]
async fn leave(tx: &mut Tx<'_>, polls: u32, fail: bool) -> Result<(), Error> {
    sqlx::query("insert into events values (1, 'before')").execute(&mut *tx).await?;
    // Prepared each time, so that this is a place to leave it at as well; with parameters and columns that are told meanwhile.
    let left = sqlx::query(engine::sql("select id, note from events where id = $1 or note = $2"))
        .bind(1_i64)
        .bind("x")
        .persistent(false);
    cancelled_after(polls, left.fetch_all(&mut *tx)).await;
    if fail { Err(Error::Domain) } else { Ok(()) }
}

engine_test! {
    /// Wherever it was: the unit ends, and leaves no connection in a transaction or out of step with its server.
    async fn a_statement_that_is_left_at_any_place_does_not_hold_the_unit() {
        let database = database().await;
        let pool = database.pool();
        for (polls, fail) in (0..8).flat_map(|polls| [(polls, true), (polls, false)]) {
            let unit = tokio::time::timeout(Duration::from_secs(10), leave(pool, polls, fail));
            let told = unit.await.unwrap_or_else(|_| panic!("left after {polls} polls, it does not end"));
            assert_eq!(engine::inside_transaction(pool).await, 0, "{polls}, {told:?}");
            assert_eq!(count(pool, "select count(*) from events").await, i64::from(told.is_ok()));
            sqlx::query("delete from events").execute(pool).await.unwrap();
        }
    }
}

// ---------------------------------------------------------------------------------------- nothing held while waiting

#[atomic_unit(retry = unhurried, idempotent = set_state)]
async fn fails_once(tx: &mut Tx<'_>, runs: &Runs) -> Result<(), Error> {
    if runs.count() == 1 {
        return Err(Error::Db(sqlx::Error::WorkerCrashed));
    }
    sqlx::query("update hot set n = 1 where id = 1").execute(&mut *tx).await?;
    Ok(())
}

engine_test! {
    /// A pool of one connection: while the unit waits for its second attempt, somebody else has the connection.
    async fn a_waiting_unit_holds_no_connection() {
        let database = engine::one_connection().await;
        let pool = database.pool();
        sqlx::query("create table hot (id bigint primary key, n bigint not null)").execute(pool).await.unwrap();
        let runs = Runs::default();
        let other = async {
            while runs.total() == 0 {
                tokio::task::yield_now().await;
            }
            let got = pool.acquire().await.unwrap();
            assert_eq!(runs.total(), 1, "the connection was free before the second attempt");
            drop(got);
        };
        let (unit, ()) = tokio::join!(fails_once(pool, &runs), other);
        unit.unwrap();
        assert_eq!(runs.total(), 2);
    }
}

// --------------------------------------------------------------------------------------------------- after COMMIT

#[atomic_unit(retry = transient, idempotent = set_state)]
async fn notify(tx: &mut Tx<'_>, runs: &Runs, sent: Arc<Runs>, fail: bool) -> Result<(), Error> {
    let dropped = Arc::clone(&sent);
    let undone = tx.savepoint(async |mut tx| {
        tx.after_commit(async move {
            dropped.count();
            Ok::<_, Error>(())
        });
        Err::<(), _>(Error::Domain)
    });
    assert!(undone.await.is_err());
    tx.after_commit(async move {
        sent.count();
        Err(Error::Domain)
    });
    match runs.count() {
        1 => Err(Error::Db(sqlx::Error::WorkerCrashed)),
        _ if fail => Err(Error::Domain),
        _ => Ok(()),
    }
}

engine_test! {
    /// Once, for the attempt that committed; its error changes nothing.
    async fn what_is_left_for_after_commit_runs_once() {
        let database = database().await;
        let (runs, sent) = (Runs::default(), Arc::new(Runs::default()));
        notify(database.pool(), &runs, Arc::clone(&sent), false).await.unwrap();
        assert_eq!((runs.total(), sent.total()), (2, 1));
        notify(database.pool(), &runs, Arc::clone(&sent), true).await.unwrap_err();
        assert_eq!((runs.total(), sent.total()), (3, 1));
    }
}

// ------------------------------------------------------------------------------------------------ how it is begun

#[atomic_unit(retry = contention, isolation = serializable, read_only)]
async fn report(tx: &mut Tx<'_>, write: bool) -> Result<i64, Error> {
    if write {
        sqlx::query("update hot set n = 5 where id = 1").execute(&mut *tx).await?;
    }
    Ok(sqlx::query_scalar("select n from hot where id = 1").fetch_one(&mut *tx).await?)
}

engine_test! {
    async fn a_read_only_unit_cannot_write() {
        let database = database().await;
        assert_eq!(report(database.pool(), false).await.unwrap(), 0);
        assert!(matches!(report(database.pool(), true).await, Err(Error::Db(_))));
        increment(database.pool(), &Runs::default()).await.unwrap();
        assert_eq!(report(database.pool(), false).await.unwrap(), 1);
    }
}

// ------------------------------------------------------------------------------------------------------- the gate

#[atomic_unit(retry = queued)]
async fn increment_in_turn(tx: &mut Tx<'_>, runs: &Runs) -> Result<(), Error> {
    runs.count();
    let n: i64 = sqlx::query_scalar("select n from hot where id = 1").fetch_one(&mut *tx).await?;
    sqlx::query(engine::sql("update hot set n = $1 where id = 1")).bind(n + 1).execute(&mut *tx).await?;
    Ok(())
}

engine_test! {
    /// Sixteen tasks on one row with three retries: with the queue all succeed.
    async fn units_behind_a_gate_take_turns() {
        let database = database().await;
        let pool = engine::contended(&database, 16).await;
        let runs = Arc::new(Runs::default());
        let tasks: Vec<_> = (0..16)
            .map(|_| {
                let (pool, runs) = (pool.clone(), Arc::clone(&runs));
                tokio::spawn(async move { increment_in_turn(&pool, &runs).await })
            })
            .collect();
        for task in tasks {
            task.await.unwrap().unwrap();
        }
        assert_eq!(count(&pool, "select n from hot where id = 1").await, 16);
    }
}
