//! What becomes of a unit whose COMMIT, or its answer, is lost. Each engine runs it with its own `super::engine`.

use std::error::Error as _;

use steadfast::{Kind, Outcome, Phase, atomic_unit};
use steadfast_tests::proxy::Fate;

use super::engine::{self, Database, NAME, Tx, engine_test, inside_transaction, unlucky};
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

#[atomic_unit(retry = contention)]
async fn insert(tx: &mut Tx<'_>, runs: &Runs) -> Result<(), Error> {
    let id = i64::from(runs.count());
    sqlx::query(engine::sql("insert into events values ($1)")).bind(id).execute(&mut *tx).await?;
    Ok(())
}

engine_test! {
    async fn a_lost_acknowledgement_is_in_doubt_and_the_body_ran_once() {
        // The error is the same in both; the rows tell them apart.
        for (fate, fault, rows) in [
            (Fate::SwallowAnswer, "socket cut before COMMIT is answered", 1),
            (Fate::CutBefore, "socket cut before COMMIT arrives", 0),
        ] {
            let met = Met::new(NAME, fault);
            let database = database().await;
            let (proxy, pool) = unlucky(&database, [fate]).await;
            let runs = Runs::default();
            let told = insert(&pool, &runs).await;
            let met = met.told(&told);
            let failure = told.unwrap_err().unit();
            assert_eq!((failure.outcome(), failure.phase()), (Outcome::InDoubt, Phase::Commit), "{fate:?}");
            assert_eq!((failure.kind(), failure.attempts()), (Kind::ConnectionLost, 1), "{fate:?}");
            assert!(failure.source().is_some_and(|source| source.downcast_ref::<sqlx::Error>().is_some()));
            assert_eq!((runs.total(), proxy.commits()), (1, 1), "{fate:?}");
            assert_eq!(events(&database).await, rows, "{fate:?}");
            met.left(&runs, rows, inside_transaction(&pool).await);
            // The pool is as good as before.
            insert(&pool, &runs).await.unwrap();
        }
    }
}

engine_test! {
    async fn a_connection_cut_behind_the_acknowledgement_changes_nothing() {
        let met = Met::new(NAME, "socket cut after COMMIT was answered");
        let database = database().await;
        let (_proxy, pool) = unlucky(&database, [Fate::CutAfter, Fate::Pass]).await;
        // One connection: where it is another one afterwards, the first was cut.
        let pool = pool.options().clone().max_connections(1).connect_lazy_with((*pool.connect_options()).clone());
        let runs = Runs::default();
        let connection = async || sqlx::query_scalar::<_, i64>(engine::CONNECTION_ID).fetch_one(&pool).await.unwrap();
        let before = connection().await;
        let (one, two) = (insert(&pool, &runs).await, insert(&pool, &runs).await);
        assert_ne!(connection().await, before, "nothing was cut");
        let rows = events(&database).await;
        assert_eq!((runs.total(), rows), (2, 2));
        met.told(&one).told(&two).left(&runs, rows, inside_transaction(&pool).await);
    }
}

#[atomic_unit(retry = transient, idempotent = client_id(id))]
async fn create(tx: &mut Tx<'_>, id: i64, runs: &Runs) -> Result<(), Error> {
    runs.count();
    sqlx::query(engine::INSERT_ONCE).bind(id).execute(&mut *tx).await?;
    Ok(())
}

engine_test! {
    async fn an_idempotent_unit_is_replayed_after_a_lost_acknowledgement() {
        let database = database().await;
        let (proxy, pool) = unlucky(&database, [Fate::SwallowAnswer, Fate::CutBefore]).await;
        let runs = Runs::default();
        create(&pool, 7, &runs).await.unwrap();
        assert_eq!((runs.total(), proxy.commits(), events(&database).await), (3, 3, 1));
    }
}

#[atomic_unit(retry = transient, in_doubt = fail)]
async fn insert_in_doubt_fail(tx: &mut Tx<'_>, runs: &Runs) -> Result<(), Error> {
    let id = i64::from(runs.count());
    sqlx::query(engine::sql("insert into events values ($1)")).bind(id).execute(&mut *tx).await?;
    if id == 1 {
        // Lost before COMMIT: nothing was applied.
        engine::break_off(tx).await;
        return Err(Error::Domain);
    }
    Ok(())
}

engine_test! {
    async fn in_doubt_fail_replays_what_was_lost_before_commit_only() {
        let database = database().await;
        let runs = Runs::default();
        insert_in_doubt_fail(database.pool(), &runs).await.unwrap();
        assert_eq!((runs.total(), events(&database).await), (2, 1));
        let (_proxy, pool) = unlucky(&database, [Fate::SwallowAnswer]).await;
        let failure = insert_in_doubt_fail(&pool, &runs).await.unwrap_err().unit();
        assert_eq!(failure.outcome(), Outcome::InDoubt);
        assert_eq!((runs.total(), events(&database).await), (3, 2));
    }
}
