//! Faults on PostgreSQL.

use std::time::Duration;

use sqlx::postgres::PgPoolOptions;
use steadfast::{Classify as _, Kind, Outcome, Phase, atomic_unit, postgres::Tx};
use steadfast_tests::{postgres::Database, proxy::Fate};

use crate::{
    engines::{
        Error, Runs,
        postgres::{NAME, contended, inside_transaction, unlucky},
    },
    faults::survival::Met,
};

mod crash;

async fn database() -> Database {
    let database = Database::create().await;
    for sql in [
        "create table events (id bigint primary key)",
        "create table hot (id bigint primary key, n bigint not null)",
        "insert into hot values (1, 0), (2, 0)",
    ] {
        sqlx::query(sql).execute(database.pool()).await.unwrap();
    }
    database
}

async fn events(database: &Database) -> i64 {
    sqlx::query_scalar("select count(*) from events").fetch_one(database.pool()).await.unwrap()
}

fn kind(told: &Result<(), Error>) -> Option<Kind> {
    told.as_ref().err()?.failure().map(|failure| failure.kind)
}

// ----------------------------------------------------------------------------------------------- a lost COMMIT

#[atomic_unit(retry = contention)]
async fn insert(tx: &mut Tx<'_>, runs: &Runs) -> Result<(), Error> {
    let id = i64::from(runs.count());
    sqlx::query("insert into events values ($1)").bind(id).execute(&mut *tx).await?;
    Ok(())
}

#[atomic_unit(retry = transient, idempotent = set_state)]
async fn fails_when_replayed(tx: &mut Tx<'_>, sql: Option<&'static str>, runs: &Runs) -> Result<(), Error> {
    sqlx::query("insert into events values (1) on conflict do nothing").execute(&mut *tx).await?;
    if runs.count() > 1 {
        let sql = sql.ok_or(Error::Domain)?;
        sqlx::query(sql).execute(&mut *tx).await?;
    }
    Ok(())
}

/// The first attempt was applied and nobody was told: that a later one was rolled back does not undo it.
#[tokio::test]
#[ignore = "needs PostgreSQL: tests/run"]
async fn a_unit_stays_in_doubt_when_its_replay_fails() {
    for (sql, attempts) in [(None, 2), (Some("selec"), 2), (Some("select pg_terminate_backend(pg_backend_pid())"), 4)] {
        let database = database().await;
        let (_proxy, pool) = unlucky(&database, [Fate::SwallowAnswer]).await;
        let failure = fails_when_replayed(&pool, sql, &Runs::default()).await.unwrap_err().unit();
        assert_eq!((failure.outcome(), failure.phase()), (Outcome::InDoubt, Phase::Commit), "{sql:?}");
        assert_eq!((failure.attempts(), events(&database).await), (attempts, 1), "{sql:?}");
    }
}

// -------------------------------------------------------------------------------------------------- contention

#[atomic_unit(retry = patient)]
async fn transfer(
    tx: &mut Tx<'_>,
    from: i64,
    to: i64,
    barrier: &tokio::sync::Barrier,
    runs: &Runs,
) -> Result<(), Error> {
    let run = runs.count();
    sqlx::query("insert into events values ($1)").bind(i64::from(run)).execute(&mut *tx).await?;
    sqlx::query("update hot set n = n - 1 where id = $1").bind(from).execute(&mut *tx).await?;
    // Hold the first row until the other side holds the second.
    if run <= 2 {
        barrier.wait().await;
    }
    sqlx::query("update hot set n = n + 1 where id = $1").bind(to).execute(&mut *tx).await?;
    Ok(())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "needs PostgreSQL: tests/run"]
async fn a_deadlock_is_replayed_as_a_whole() {
    let met = Met::new(NAME, "deadlock");
    let database = database().await;
    let (barrier, runs, pool) = (tokio::sync::Barrier::new(2), Runs::default(), database.pool());
    let (one, two) = tokio::join!(transfer(pool, 1, 2, &barrier, &runs), transfer(pool, 2, 1, &barrier, &runs));
    assert!(one.is_ok() && two.is_ok(), "{one:?} {two:?}");
    assert_eq!(runs.total(), 3);
    met.told(&one).told(&two).left(&runs, events(&database).await, inside_transaction(pool).await);
    let sum: (i64, i64) = sqlx::query_as("select min(n), max(n) from hot").fetch_one(pool).await.unwrap();
    assert_eq!(sum, (0, 0));
}

#[atomic_unit(retry = patient)]
async fn skew(tx: &mut Tx<'_>, id: i64, barrier: &tokio::sync::Barrier, runs: &Runs) -> Result<(), Error> {
    let sum: i64 = sqlx::query_scalar("select sum(n)::bigint from hot").fetch_one(&mut *tx).await?;
    let run = runs.count();
    if run <= 2 {
        barrier.wait().await;
    }
    sqlx::query("insert into events values ($1)").bind(i64::from(run)).execute(&mut *tx).await?;
    sqlx::query("update hot set n = $1 where id = $2").bind(sum + 1).bind(id).execute(&mut *tx).await?;
    if runs.total() <= 2 {
        barrier.wait().await;
    }
    Ok(())
}

/// Write skew: both wrote, so one of them learns of it in COMMIT.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "needs PostgreSQL: tests/run"]
async fn a_serialization_failure_at_commit_is_replayed() {
    let met = Met::new(NAME, "serialization failure at COMMIT");
    let database = database().await;
    let pool = contended(&database, 2).await;
    let (barrier, runs) = (tokio::sync::Barrier::new(2), Runs::default());
    let (one, two) = tokio::join!(skew(&pool, 1, &barrier, &runs), skew(&pool, 2, &barrier, &runs));
    assert!(one.is_ok() && two.is_ok(), "{one:?} {two:?}");
    assert_eq!(runs.total(), 3);
    met.told(&one).told(&two).left(&runs, events(&database).await, inside_transaction(&pool).await);
    let sum: i64 = sqlx::query_scalar("select sum(n)::bigint from hot").fetch_one(&pool).await.unwrap();
    assert_eq!(sum, 3, "the second saw the first");
}

/// Somebody else on the same server: a unit itself takes no pool.
struct Rival<'a>(&'a sqlx::PgPool);

#[atomic_unit(retry = contention, isolation = repeatable_read)]
async fn increment_beside(tx: &mut Tx<'_>, rival: &Rival<'_>, runs: &Runs) -> Result<(), Error> {
    let run = runs.count();
    sqlx::query("insert into events values ($1)").bind(i64::from(run)).execute(&mut *tx).await?;
    let n: i64 = sqlx::query_scalar("select n from hot where id = 1").fetch_one(&mut *tx).await?;
    if run == 1 {
        sqlx::query("update hot set n = 10 where id = 1").execute(rival.0).await.unwrap();
    }
    sqlx::query("update hot set n = $1 where id = 1").bind(n + 1).execute(&mut *tx).await?;
    Ok(())
}

#[tokio::test]
#[ignore = "needs PostgreSQL: tests/run"]
async fn a_row_changed_since_the_snapshot_replays_the_unit() {
    let met = Met::new(NAME, "serialization failure at a statement");
    let (database, runs) = (database().await, Runs::default());
    let told = increment_beside(database.pool(), &Rival(database.pool()), &runs).await;
    let n: i64 = sqlx::query_scalar("select n from hot where id = 1").fetch_one(database.pool()).await.unwrap();
    assert_eq!((runs.total(), n), (2, 11));
    met.told(&told).left(&runs, events(&database).await, inside_transaction(database.pool()).await);
}

#[atomic_unit(retry = contention)]
async fn lock_row(tx: &mut Tx<'_>, sql: &'static str, runs: &Runs) -> Result<(), Error> {
    let id = i64::from(runs.count());
    sqlx::query("insert into events values ($1)").bind(id).execute(&mut *tx).await?;
    sqlx::query("set local lock_timeout = '20ms'").execute(&mut *tx).await?;
    sqlx::query(sql).execute(&mut *tx).await?;
    Ok(())
}

#[tokio::test]
#[ignore = "needs PostgreSQL: tests/run"]
async fn a_lock_that_is_not_granted_is_retried() {
    let database = database().await;
    let pool = contended(&database, 1).await;
    let mut holder = database.pool().begin().await.unwrap();
    sqlx::query("update hot set n = 1 where id = 1").execute(&mut *holder).await.unwrap();
    for (fault, sql) in [
        ("lock timeout", "select 1 from hot where id = 1 for update"),
        ("NOWAIT", "select 1 from hot where id = 1 for update nowait"),
    ] {
        let (met, runs) = (Met::new(NAME, fault), Runs::default());
        let told = lock_row(&pool, sql, &runs).await;
        assert_eq!(kind(&told), Some(Kind::LockTimeout), "{sql}");
        assert_eq!(runs.total(), 4, "{sql}");
        met.told(&told).left(&runs, events(&database).await, inside_transaction(&pool).await);
    }
}

#[atomic_unit(retry = patient)]
async fn slow(tx: &mut Tx<'_>, runs: &Runs) -> Result<(), Error> {
    let id = i64::from(runs.count());
    sqlx::query("insert into events values ($1)").bind(id).execute(&mut *tx).await?;
    sqlx::query("set local statement_timeout = '20ms'").execute(&mut *tx).await?;
    sqlx::query("select pg_sleep(5)").execute(&mut *tx).await?;
    Ok(())
}

#[tokio::test]
#[ignore = "needs PostgreSQL: tests/run"]
async fn a_statement_timeout_is_never_retried() {
    let met = Met::new(NAME, "statement timeout");
    let (database, runs) = (database().await, Runs::default());
    let told = slow(database.pool(), &runs).await;
    assert_eq!(kind(&told), Some(Kind::StatementTimeout));
    assert_eq!(runs.total(), 1);
    met.told(&told).left(&runs, events(&database).await, inside_transaction(database.pool()).await);
}

#[atomic_unit(retry = deadlock_only)]
async fn not_my_kind(tx: &mut Tx<'_>, runs: &Runs) -> Result<(), Error> {
    runs.count();
    sqlx::query("select 1 from hot where id = 1 for update nowait").execute(&mut *tx).await?;
    Ok(())
}

#[tokio::test]
#[ignore = "needs PostgreSQL: tests/run"]
async fn a_policy_retries_the_kinds_it_names() {
    let database = database().await;
    let mut holder = database.pool().begin().await.unwrap();
    sqlx::query("update hot set n = 1 where id = 1").execute(&mut *holder).await.unwrap();
    let runs = Runs::default();
    not_my_kind(database.pool(), &runs).await.unwrap_err();
    assert_eq!(runs.total(), 1);
}

// ------------------------------------------------------------------------------------------------ connections

/// The server ends the session in the middle of COMMIT: whether before or behind the point of no return, nobody was told.
#[tokio::test]
#[ignore = "needs PostgreSQL: tests/run"]
async fn a_connection_killed_while_commit_runs_is_in_doubt() {
    let met = Met::new(NAME, "killed while COMMIT runs");
    let (database, runs) = (database().await, Runs::default());
    for sql in [
        "create function die() returns trigger language plpgsql as \
         $$ begin perform pg_terminate_backend(pg_backend_pid()); return null; end $$",
        "create constraint trigger die after insert on events deferrable initially deferred \
         for each row execute function die()",
    ] {
        sqlx::query(sql).execute(database.pool()).await.unwrap();
    }
    let told = insert(database.pool(), &runs).await;
    let met = met.told(&told);
    let failure = told.unwrap_err().unit();
    assert_eq!((failure.kind(), failure.phase()), (Kind::ConnectionLost, Phase::Commit));
    assert_eq!((failure.outcome(), runs.total()), (Outcome::InDoubt, 1));
    met.left(&runs, events(&database).await, inside_transaction(database.pool()).await);
}

#[atomic_unit(retry = transient, idempotent = set_state)]
async fn forget_to_bind(tx: &mut Tx<'_>, runs: &Runs) -> Result<(), Error> {
    runs.count();
    sqlx::query("insert into events values ($1)").execute(&mut *tx).await?;
    Ok(())
}

#[tokio::test]
#[ignore = "needs PostgreSQL: tests/run"]
async fn a_forgotten_parameter_is_no_lost_connection() {
    let database = database().await;
    let runs = Runs::default();
    let error = forget_to_bind(database.pool(), &runs).await.unwrap_err();
    assert_eq!(error.failure().map(|failure| failure.kind), Some(Kind::Other));
    assert_eq!(runs.total(), 1);
}

#[atomic_unit(retry = patient)]
async fn locked_in_a_savepoint(tx: &mut Tx<'_>, runs: &Runs) -> Result<(), Error> {
    let n = runs.count();
    sqlx::query("insert into events values (1)").execute(&mut *tx).await?;
    if n == 1 {
        let locked = tx.savepoint(async |mut tx| {
            sqlx::query("select 1 from hot where id = 1 for update nowait").execute(&mut tx).await?;
            Ok::<_, Error>(())
        });
        assert!(locked.await.is_err());
    }
    Ok(())
}

/// Contention inside a savepoint is nothing to survive there, even when the body ignores it: the unit is replayed.
#[tokio::test]
#[ignore = "needs PostgreSQL: tests/run"]
async fn contention_in_a_savepoint_replays_the_whole_unit() {
    let met = Met::new(NAME, "lock not granted in a savepoint");
    let database = database().await;
    let mut holder = database.pool().begin().await.unwrap();
    sqlx::query("update hot set n = 1 where id = 1").execute(&mut *holder).await.unwrap();
    let runs = Runs::default();
    let told = locked_in_a_savepoint(database.pool(), &runs).await;
    let rows = events(&database).await;
    assert_eq!((runs.total(), rows), (2, 1));
    holder.rollback().await.unwrap();
    met.told(&told).left(&runs, rows, inside_transaction(database.pool()).await);
}

// ------------------------------------------------------------------------------------------------ in_doubt = resolve

#[atomic_unit(retry = transient, in_doubt = resolve)]
async fn resolved(tx: &mut Tx<'_>, runs: &Runs, write: bool) -> Result<u32, Error> {
    let run = runs.count();
    if write {
        sqlx::query("insert into events values ($1)").bind(i64::from(run)).execute(&mut *tx).await?;
    } else {
        sqlx::query("select 1").execute(&mut *tx).await?;
    }
    Ok(run)
}

/// The server knows: what was committed is returned as such, what was not is replayed.
#[tokio::test]
#[ignore = "needs PostgreSQL: tests/run"]
async fn the_server_says_what_became_of_a_lost_commit() {
    let database = database().await;
    for (fate, run, commits) in [(Fate::SwallowAnswer, 1, 1), (Fate::CutBefore, 2, 2)] {
        sqlx::query("delete from events").execute(database.pool()).await.unwrap();
        let (proxy, pool) = unlucky(&database, [fate]).await;
        let runs = Runs::default();
        assert_eq!(resolved(&pool, &runs, true).await.unwrap(), run, "{fate:?}");
        assert_eq!((runs.total(), proxy.commits()), (run, commits), "{fate:?}");
        assert_eq!(events(&database).await, 1, "{fate:?}");
    }
}

/// What has written nothing was not applied, whatever became of its COMMIT.
#[tokio::test]
#[ignore = "needs PostgreSQL: tests/run"]
async fn a_unit_that_wrote_nothing_is_replayed() {
    let database = database().await;
    let (_proxy, pool) = unlucky(&database, [Fate::SwallowAnswer]).await;
    let runs = Runs::default();
    assert_eq!(resolved(&pool, &runs, false).await.unwrap(), 2);
}

#[atomic_unit(retry = contention, attempt_timeout = "200ms")]
async fn long_statement(tx: &mut Tx<'_>) -> Result<(), Error> {
    sqlx::query("select pg_sleep(30)").execute(&mut *tx).await?;
    Ok(())
}

/// The abandoned statement ends on the server as well, with its locks.
#[tokio::test]
#[ignore = "needs PostgreSQL: tests/run"]
async fn a_statement_that_takes_too_long_ends_on_the_server_too() {
    let database = database().await;
    let name = database.schema().to_owned();
    let options = database.options().application_name(&name);
    let pool = PgPoolOptions::new().max_connections(1).connect_with(options).await.unwrap();
    let failure = long_statement(&pool).await.unwrap_err().unit();
    assert_eq!((failure.kind(), failure.phase()), (Kind::AttemptTimeout, Phase::Body));
    for _ in 0..200 {
        let active: i64 = sqlx::query_scalar(
            "select count(*) from pg_stat_activity where application_name = $1 and state = 'active' and query like '%pg_sleep%'",
        )
        .bind(&name)
        .fetch_one(database.pool())
        .await
        .unwrap();
        if active == 0 {
            return;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    panic!("the statement is still running");
}

#[atomic_unit(retry = never)]
async fn sleep_a_second(tx: &mut Tx<'_>) -> Result<(), Error> {
    sqlx::query("select pg_sleep(1)").execute(&mut *tx).await?;
    Ok(())
}

/// The server's own limit is the shorter one: a deadline of the caller must not lift it, nor an `attempt_timeout`.
#[tokio::test]
#[ignore = "needs PostgreSQL: tests/run"]
async fn a_deadline_lifts_no_limit_of_the_server() {
    let database = database().await;
    for (limit, kind) in [("100ms", Some(Kind::StatementTimeout)), ("0", None), ("1min", None)] {
        let options = database.options().options([("statement_timeout", limit)]);
        let pool = PgPoolOptions::new().max_connections(1).connect_with(options).await.unwrap();
        let told = steadfast::within(Duration::from_secs(30), sleep_a_second(&pool)).await;
        assert_eq!(self::kind(&told), kind, "{limit}: {told:?}");
        // And it is the transaction's alone.
        let after: String = sqlx::query_scalar("show statement_timeout").fetch_one(&pool).await.unwrap();
        assert_eq!(after, limit);
    }
}

#[atomic_unit(retry = contention, isolation = repeatable_read)]
async fn level(tx: &mut Tx<'_>) -> Result<String, Error> {
    Ok(sqlx::query_scalar("show transaction_isolation").fetch_one(&mut *tx).await?)
}

#[tokio::test]
#[ignore = "needs PostgreSQL: tests/run"]
async fn a_unit_has_the_isolation_level_that_it_names() {
    let database = database().await;
    assert_eq!(level(database.pool()).await.unwrap(), "repeatable read");
}

#[atomic_unit(retry = transient, idempotent = receipt(key))]
async fn append(tx: &mut Tx<'_>, key: i64, runs: &Runs) -> Result<u32, Error> {
    let run = runs.count();
    sqlx::query("insert into events values ($1)").bind(key * 100 + i64::from(run)).execute(&mut *tx).await?;
    Ok(run)
}

/// The replay after a lost acknowledgement finds the receipt of the attempt that was applied.
#[tokio::test]
#[ignore = "needs PostgreSQL: tests/run"]
async fn a_unit_with_a_receipt_is_applied_once() {
    let database = database().await;
    steadfast::Receipts::new(database.pool()).install().await.unwrap();
    for (key, fate, run) in [(1, Fate::SwallowAnswer, 1), (2, Fate::CutBefore, 2)] {
        let (_proxy, pool) = unlucky(&database, [fate]).await;
        let runs = Runs::default();
        assert_eq!(append(&pool, key, &runs).await.unwrap(), run, "{fate:?}");
        assert_eq!((runs.total(), events(&database).await), (run, key), "{fate:?}");
    }
}

// ----------------------------------------------------------------------------------------- transaction control

#[atomic_unit(retry = contention)]
async fn run_raw(tx: &mut Tx<'_>, sql: &'static str) -> Result<(), Error> {
    sqlx::query("insert into events values (1)").execute(&mut *tx).await?;
    sqlx::raw_sql(sql).execute(&mut *tx).await?;
    Err(Error::Domain)
}

/// What hides a COMMIT from a reader of the text does not hide it from the server.
#[tokio::test]
#[ignore = "needs PostgreSQL: tests/run"]
async fn control_behind_quotes_that_only_the_server_can_read_is_refused() {
    let database = database().await;
    for sql in [
        r"select E'it\'s'; commit",
        "select $$it's$$; commit",
        "select 1 /* /* */ ' */; commit",
        "select 1 -- note\r; commit",
        "-- note\rcommit",
        "select (array[']'])[1]; commit --'",
        "create trigger t after insert on events for each row execute function suppress_redundant_updates_trigger(); commit",
    ] {
        let error = run_raw(database.pool(), sql).await.unwrap_err();
        assert!(!matches!(error, Error::Domain), "{sql} was run");
        assert_eq!(events(&database).await, 0, "{sql}");
    }
    let block = "do $$ begin perform 1; perform 2; end $$";
    assert!(matches!(run_raw(database.pool(), block).await, Err(Error::Domain)));
}
