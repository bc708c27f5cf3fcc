//! What becomes of a unit that is cut short, that swallows an error, or that gets no connection. Each engine runs it with its own
//! `super::engine`.

use std::time::Duration;

use steadfast::{Kind, Outcome, Phase, atomic_unit};

use super::engine::{self, Database, Moment, Pool, Stall, Tx, engine_test, inside_transaction, stalled};
use crate::{
    engines::{Error, Runs, cancelled_when},
    faults::survival::Met,
    telemetry::CANARY,
};

async fn database() -> Database {
    let database = Database::create().await;
    let sql = "create table events (id bigint primary key, note varchar(50) not null)";
    sqlx::query(sql).execute(database.pool()).await.unwrap();
    database
}

async fn events(pool: &Pool) -> i64 {
    sqlx::query_scalar("select count(*) from events").fetch_one(pool).await.unwrap()
}

async fn write(tx: &mut Tx<'_>, runs: &Runs) -> Result<(), Error> {
    let id = i64::from(runs.count());
    let sql = engine::sql("insert into events values ($1, $2)");
    sqlx::query(sql).bind(id).bind(CANARY).execute(&mut *tx).await?;
    Ok(())
}

#[atomic_unit(retry = contention)]
async fn insert(tx: &mut Tx<'_>, runs: &Runs) -> Result<(), Error> {
    write(tx, runs).await
}

#[atomic_unit(retry = transient, in_doubt = fail, attempt_timeout = "200ms")]
async fn insert_in_time(tx: &mut Tx<'_>, runs: &Runs) -> Result<(), Error> {
    write(tx, runs).await
}

#[atomic_unit(retry = contention)]
async fn hang(tx: &mut Tx<'_>, runs: &Runs) -> Result<(), Error> {
    write(tx, runs).await?;
    std::future::pending().await
}

#[atomic_unit(retry = transient, in_doubt = fail, attempt_timeout = "200ms")]
async fn hang_for_a_time(tx: &mut Tx<'_>, runs: &Runs) -> Result<(), Error> {
    write(tx, runs).await?;
    std::future::pending().await
}

// --------------------------------------------------------------------------------------------------- attempt_timeout

/// It is not retried, since another attempt would take as long; the phase says what is known.
async fn timed_out(moment: Moment, fault: &'static str, phase: Phase, outcome: Outcome) {
    let met = Met::new(engine::NAME, fault);
    let database = database().await;
    let (stall, pool) = stalled(&database, moment).await;
    let runs = Runs::default();
    let result = insert_in_time(&pool, &runs).await;
    let met = met.told(&result);
    let failure = result.unwrap_err().unit();
    assert_eq!((failure.kind(), failure.phase()), (Kind::AttemptTimeout, phase));
    assert_eq!((failure.outcome(), failure.attempts()), (outcome, 1));
    ended(met, stall, &pool, &runs).await;
}

/// Lets the statement go on, looks at what is there, and uses the pool once more.
async fn ended(met: Met, mut stall: Stall, pool: &Pool, runs: &Runs) {
    stall.end().await;
    let poisoned = inside_transaction(pool).await;
    let rows = events(pool).await;
    met.left(runs, rows, poisoned);
    insert(pool, &Runs::default()).await.map_or_else(
        // The first one was applied after all.
        |error| assert_eq!(rows, 1, "{error:?}"),
        |()| assert_eq!(rows, 0),
    );
}

engine_test! {
    async fn a_timeout_in_begin_applies_nothing() {
        timed_out(Moment::Begin, "timeout in BEGIN", Phase::Begin, Outcome::NotApplied).await;
    }
}

engine_test! {
    /// A COMMIT that is not answered in time may have been applied.
    async fn a_timeout_in_commit_is_in_doubt() {
        timed_out(Moment::Commit, "timeout in COMMIT", Phase::Commit, Outcome::InDoubt).await;
    }
}

engine_test! {
    /// The connection does not go back as it is.
    async fn a_timeout_in_the_body_rolls_back() {
        let met = Met::new(engine::NAME, "timeout in the body");
        let (database, runs) = (database().await, Runs::default());
        let result = hang_for_a_time(database.pool(), &runs).await;
        let met = met.told(&result);
        let failure = result.unwrap_err().unit();
        assert_eq!((failure.kind(), failure.phase()), (Kind::AttemptTimeout, Phase::Body));
        assert_eq!((failure.outcome(), failure.attempts()), (Outcome::NotApplied, 1));
        met.left(&runs, events(database.pool()).await, inside_transaction(database.pool()).await);
        insert(database.pool(), &runs).await.unwrap();
    }
}

// ------------------------------------------------------------------------------------------------------ cancellation

async fn cancelled(moment: Moment, fault: &'static str, bodies: u32) {
    let met = Met::new(engine::NAME, fault);
    let database = database().await;
    let (stall, pool) = stalled(&database, moment).await;
    let runs = Runs::default();
    let result = cancelled_when(|| stall.is_met() && runs.total() == bodies, insert(&pool, &runs)).await;
    let met = match moment {
        Moment::Begin => met.cancelled(result),
        Moment::Commit => met.cancelled_in_commit(result, module_path!()),
        Moment::Claim => unreachable!("no unit claims"),
    };
    ended(met, stall, &pool, &runs).await;
    assert_eq!(runs.total(), bodies, "a unit that nobody waits for runs no more");
}

engine_test! {
    async fn a_unit_cancelled_in_begin_leaves_no_transaction() {
        cancelled(Moment::Begin, "cancelled in BEGIN", 0).await;
    }
}

engine_test! {
    /// Nobody is left to be told, and COMMIT is not sent again.
    async fn a_unit_cancelled_in_commit_is_not_replayed() {
        cancelled(Moment::Commit, "cancelled in COMMIT", 1).await;
    }
}

engine_test! {
    async fn a_unit_cancelled_in_its_body_is_rolled_back() {
        let met = Met::new(engine::NAME, "cancelled in the body");
        let (database, runs) = (database().await, Runs::default());
        let met = met.cancelled(cancelled_when(|| runs.total() == 1, hang(database.pool(), &runs)).await);
        met.left(&runs, events(database.pool()).await, inside_transaction(database.pool()).await);
        insert(database.pool(), &runs).await.unwrap();
    }
}

// -------------------------------------------------------------------------------------------------- swallowed errors

#[atomic_unit(retry = contention)]
async fn swallow(tx: &mut Tx<'_>, runs: &Runs) -> Result<(), Error> {
    let id = i64::from(runs.count());
    let sql = "insert into events values ($1, $2)";
    for (id, note) in [(id, CANARY), (id, CANARY), (id + 1, "after")] {
        let _ = sqlx::query(engine::sql(sql)).bind(id).bind(note).execute(&mut *tx).await;
    }
    Ok(())
}

engine_test! {
    /// The body says `Ok` although a statement failed: an error, and nothing is written. PostgreSQL would answer COMMIT with
    /// ROLLBACK, which sqlx reports as success; the others would commit the rest.
    async fn a_swallowed_error_fails_the_unit() {
        let met = Met::new(engine::NAME, "error swallowed by the body");
        let (database, runs) = (database().await, Runs::default());
        let result = swallow(database.pool(), &runs).await;
        let met = met.told(&result);
        let failure = result.unwrap_err().unit();
        assert_eq!((failure.kind(), failure.phase()), (Kind::Other, Phase::Body));
        assert_eq!((failure.outcome(), failure.attempts()), (Outcome::NotApplied, 1));
        let source = std::error::Error::source(&failure).unwrap().to_string();
        assert!(source.contains("return its error") && !source.contains(CANARY), "{source}");
        met.left(&runs, events(database.pool()).await, inside_transaction(database.pool()).await);
    }
}

// ---------------------------------------------------------------------------------------------------- no connection

engine_test! {
    /// All connections in use is its own kind, and never retried.
    async fn an_exhausted_pool_is_a_typed_failure() {
        let met = Met::new(engine::NAME, "pool exhausted");
        let database = database().await;
        let pool = engine::contended(&database, 1).await;
        let quick = pool.options().clone().acquire_timeout(Duration::from_millis(50));
        let pool = quick.connect_lazy_with((*pool.connect_options()).clone());
        let held = pool.acquire().await.unwrap();
        let runs = Runs::default();
        let result = insert_in_time(&pool, &runs).await;
        let met = met.told(&result);
        let failure = result.unwrap_err().unit();
        assert_eq!((failure.kind(), failure.phase(), failure.attempts()), (Kind::PoolExhausted, Phase::Acquire, 1));
        drop(held);
        met.left(&runs, events(&pool).await, inside_transaction(&pool).await);
        insert(&pool, &runs).await.unwrap();
    }
}
