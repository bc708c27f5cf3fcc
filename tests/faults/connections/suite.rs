//! What becomes of a unit whose connection the server ends. Each engine runs it with its own `super::engine`.

use std::time::Duration;

use steadfast::{Classify as _, Kind, Outcome, Phase, atomic_unit};

use super::engine::{self, Database, Pool, Tx, engine_test, inside_transaction};
use crate::{
    engines::{Error, Runs},
    faults::survival::Met,
};

async fn database() -> Database {
    let database = Database::create().await;
    sqlx::query("create table events (id bigint primary key)").execute(database.pool()).await.unwrap();
    database
}

async fn events(database: &Database) -> i64 {
    sqlx::query_scalar("select count(*) from events").fetch_one(database.pool()).await.unwrap()
}

/// One connection, which is given out without a look at whether it still lives.
async fn careless(database: &Database) -> Pool {
    let options = database.pool().options().clone().max_connections(1).test_before_acquire(false);
    options.connect_with((*database.pool().connect_options()).clone()).await.unwrap()
}

async fn connection_id(pool: &Pool) -> i64 {
    let id = sqlx::query_scalar(engine::CONNECTION_ID).fetch_one(pool).await.unwrap();
    // On its way back it is looked at.
    while pool.num_idle() == 0 {
        tokio::task::yield_now().await;
    }
    id
}

/// Somebody else on the same server: a unit itself takes no pool.
struct Rival<'a>(&'a Pool);

impl Rival<'_> {
    async fn kill(&self, connection: i64) {
        engine::kill(self.0, connection).await;
    }
}

#[atomic_unit(retry = contention)]
async fn insert(tx: &mut Tx<'_>, runs: &Runs) -> Result<(), Error> {
    let id = i64::from(runs.count());
    sqlx::query(engine::sql("insert into events values ($1)")).bind(id).execute(&mut *tx).await?;
    Ok(())
}

#[atomic_unit(retry = transient, in_doubt = fail)]
async fn insert_again(tx: &mut Tx<'_>, runs: &Runs) -> Result<(), Error> {
    let id = i64::from(runs.count());
    sqlx::query(engine::sql("insert into events values ($1)")).bind(id).execute(&mut *tx).await?;
    Ok(())
}

engine_test! {
    /// Found out at BEGIN: nothing was applied, so who may replay a lost connection gets another one.
    async fn a_connection_killed_in_the_pool_is_lost_at_begin() {
        let met = Met::new(engine::NAME, "killed while idle in the pool");
        let (database, runs) = (database().await, Runs::default());
        let pool = careless(&database).await;
        engine::kill(database.pool(), connection_id(&pool).await).await;
        let told = insert(&pool, &runs).await;
        let met = met.told(&told);
        let failure = told.unwrap_err().unit();
        assert_eq!((failure.kind(), failure.phase()), (Kind::ConnectionLost, Phase::Begin));
        assert_eq!((failure.outcome(), failure.attempts()), (Outcome::NotApplied, 1));
        assert_eq!(runs.total(), 0);
        engine::kill(database.pool(), connection_id(&pool).await).await;
        let told = insert_again(&pool, &runs).await;
        assert!(told.is_ok(), "{told:?}");
        assert_eq!(runs.total(), 1);
        met.told(&told).left(&runs, events(&database).await, inside_transaction(&pool).await);
    }
}

#[atomic_unit(retry = contention)]
async fn killed_in_a_statement(tx: &mut Tx<'_>, rival: &Rival<'_>, runs: &Runs) -> Result<(), Error> {
    let id = i64::from(runs.count());
    sqlx::query(engine::sql("insert into events values ($1)")).bind(id).execute(&mut *tx).await?;
    let me: i64 = sqlx::query_scalar(engine::CONNECTION_ID).fetch_one(&mut *tx).await?;
    let killing = async {
        tokio::time::sleep(Duration::from_millis(50)).await;
        rival.kill(me).await;
    };
    let (slept, ()) = tokio::join!(sqlx::query(engine::SLEEP).execute(&mut *tx), killing);
    slept?;
    Ok(())
}

engine_test! {
    async fn a_connection_killed_in_the_body_is_no_contention() {
        let met = Met::new(engine::NAME, "killed in the body");
        let (database, runs) = (database().await, Runs::default());
        let pool = careless(&database).await;
        let told = killed_in_a_statement(&pool, &Rival(database.pool()), &runs).await;
        assert_eq!(told.as_ref().unwrap_err().failure().map(|failure| failure.kind), Some(Kind::ConnectionLost));
        assert_eq!(runs.total(), 1);
        met.told(&told).left(&runs, events(&database).await, inside_transaction(&pool).await);
        insert(&pool, &runs).await.unwrap();
    }
}

#[atomic_unit(retry = contention)]
async fn killed_before_commit(tx: &mut Tx<'_>, rival: &Rival<'_>, runs: &Runs) -> Result<(), Error> {
    let id = i64::from(runs.count());
    sqlx::query(engine::sql("insert into events values ($1)")).bind(id).execute(&mut *tx).await?;
    let me: i64 = sqlx::query_scalar(engine::CONNECTION_ID).fetch_one(&mut *tx).await?;
    rival.kill(me).await;
    Ok(())
}

engine_test! {
    /// From here it looks like any other connection that broke in COMMIT.
    async fn a_connection_killed_before_commit_is_in_doubt() {
        let met = Met::new(engine::NAME, "killed before COMMIT");
        let (database, runs) = (database().await, Runs::default());
        let pool = careless(&database).await;
        let told = killed_before_commit(&pool, &Rival(database.pool()), &runs).await;
        let met = met.told(&told);
        let failure = told.unwrap_err().unit();
        assert_eq!((failure.kind(), failure.phase()), (Kind::ConnectionLost, Phase::Commit));
        assert_eq!((failure.outcome(), runs.total()), (Outcome::InDoubt, 1));
        let rows = events(&database).await;
        assert_eq!(rows, 0);
        met.left(&runs, rows, inside_transaction(&pool).await);
        insert(&pool, &runs).await.unwrap();
    }
}

engine_test! {
    async fn a_server_that_is_not_there_is_a_lost_connection() {
        let database = database().await;
        let nowhere = (*database.pool().connect_options()).clone().port(1);
        let options = database.pool().options().clone().acquire_timeout(Duration::from_millis(100));
        let failure = insert(&options.connect_lazy_with(nowhere), &Runs::default()).await.unwrap_err().unit();
        assert_eq!((failure.kind(), failure.phase()), (Kind::ConnectionLost, Phase::Acquire));
    }
}
