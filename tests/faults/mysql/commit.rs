//! A COMMIT, or its answer, that is lost.

use std::error::Error as _;

use sqlx::{MySqlPool, mysql::MySqlPoolOptions};
use steadfast::{Kind, Outcome, Phase, atomic_unit, mysql::Tx};
use steadfast_tests::{
    mysql::{Database, ROLLBACK_URL},
    proxy::{Fate, Proxy},
};

use super::{Rival, database, database_on, events, insert};
use crate::engines::{
    Error, Runs,
    mysql::{inside_transaction, session},
};

/// A pool whose COMMITs meet the scripted fates, in turn.
async fn unlucky(database: &Database, fates: impl IntoIterator<Item = Fate>) -> (Proxy, MySqlPool) {
    let options = database.options();
    let proxy = Proxy::before(&options).await;
    proxy.script(fates);
    let pool = MySqlPoolOptions::new().max_connections(2).connect_lazy_with(proxy.options(&options));
    (proxy, pool)
}

#[tokio::test]
#[ignore = "needs MariaDB: tests/run"]
async fn a_lost_acknowledgement_is_in_doubt_and_the_body_ran_once() {
    // The error is the same in both; the rows tell them apart.
    for (fate, rows) in [(Fate::SwallowAnswer, 1), (Fate::CutBefore, 0)] {
        let database = database().await;
        let (proxy, pool) = unlucky(&database, [fate]).await;
        let runs = Runs::default();
        let failure = insert(&pool, &runs).await.unwrap_err().unit();
        assert_eq!((failure.outcome(), failure.phase()), (Outcome::InDoubt, Phase::Commit), "{fate:?}");
        assert_eq!((failure.kind(), failure.attempts()), (Kind::ConnectionLost, 1), "{fate:?}");
        assert!(failure.source().is_some_and(|source| source.downcast_ref::<sqlx::Error>().is_some()));
        assert_eq!((runs.total(), proxy.commits()), (1, 1), "{fate:?}");
        assert_eq!(events(&database).await, rows, "{fate:?}");
        // The pool is as good as before.
        insert(&pool, &runs).await.unwrap();
        assert_eq!(inside_transaction(&pool).await, 0);
    }
}

#[tokio::test]
#[ignore = "needs MariaDB: tests/run"]
async fn a_connection_cut_behind_the_acknowledgement_changes_nothing() {
    let database = database().await;
    let (_proxy, pool) = unlucky(&database, [Fate::CutAfter, Fate::Pass]).await;
    let runs = Runs::default();
    insert(&pool, &runs).await.unwrap();
    insert(&pool, &runs).await.unwrap();
    assert_eq!((runs.total(), events(&database).await), (2, 2));
}

/// Nobody is left to be told; the connection is closed, and COMMIT is not sent again.
#[tokio::test]
#[ignore = "needs MariaDB: tests/run"]
async fn a_unit_cancelled_in_commit_is_not_replayed() {
    let database = database().await;
    let (proxy, pool) = unlucky(&database, [Fate::Stall]).await;
    let runs = Runs::default();
    let unit = insert(&pool, &runs);
    let committing = async {
        while proxy.commits() == 0 {
            tokio::task::yield_now().await;
        }
    };
    tokio::select! {
        _ = unit => panic!("the answer never comes"),
        () = committing => {}
    }
    assert_eq!((runs.total(), proxy.commits()), (1, 1));
    assert_eq!(inside_transaction(&pool).await, 0);
}

#[atomic_unit(retry = contention, attempt_timeout = "200ms")]
async fn bounded(tx: &mut Tx<'_>, runs: &Runs) -> Result<(), Error> {
    let id = i64::from(runs.count());
    sqlx::query("insert into events values (?)").bind(id).execute(&mut *tx).await?;
    Ok(())
}

/// A COMMIT that is not answered in time may have been applied.
#[tokio::test]
#[ignore = "needs MariaDB: tests/run"]
async fn a_timeout_in_commit_is_in_doubt() {
    let database = database().await;
    let (proxy, pool) = unlucky(&database, [Fate::Stall]).await;
    let failure = bounded(&pool, &Runs::default()).await.unwrap_err().unit();
    assert_eq!((failure.kind(), failure.phase()), (Kind::AttemptTimeout, Phase::Commit));
    assert_eq!((failure.outcome(), failure.attempts()), (Outcome::InDoubt, 1));
    assert_eq!((proxy.commits(), events(&database).await), (1, 1));
}

#[atomic_unit(retry = transient, idempotent = client_id(id))]
async fn create(tx: &mut Tx<'_>, id: i64, runs: &Runs) -> Result<(), Error> {
    runs.count();
    sqlx::query("insert ignore into events values (?)").bind(id).execute(&mut *tx).await?;
    Ok(())
}

#[tokio::test]
#[ignore = "needs MariaDB: tests/run"]
async fn an_idempotent_unit_is_replayed_after_a_lost_acknowledgement() {
    let database = database().await;
    let (proxy, pool) = unlucky(&database, [Fate::SwallowAnswer, Fate::CutBefore]).await;
    let runs = Runs::default();
    create(&pool, 7, &runs).await.unwrap();
    assert_eq!((runs.total(), proxy.commits(), events(&database).await), (3, 3, 1));
}

#[atomic_unit(retry = transient, in_doubt = fail)]
async fn insert_in_doubt_fail(tx: &mut Tx<'_>, runs: &Runs) -> Result<(), Error> {
    let id = i64::from(runs.count());
    sqlx::query("insert into events values (?)").bind(id).execute(&mut *tx).await?;
    if id == 1 {
        // Lost before COMMIT: nothing was applied.
        let _ = sqlx::query("kill connection_id()").execute(&mut *tx).await;
        let _ = sqlx::query("select 1").execute(&mut *tx).await;
        return Err(Error::Domain);
    }
    Ok(())
}

#[tokio::test]
#[ignore = "needs MariaDB: tests/run"]
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

#[atomic_unit(retry = contention)]
async fn killed_from_outside(tx: &mut Tx<'_>, rival: &Rival, runs: &Runs) -> Result<(), Error> {
    let id = i64::from(runs.count());
    sqlx::query("insert into events values (?)").bind(id).execute(&mut *tx).await?;
    let me: i64 = sqlx::query_scalar("select cast(connection_id() as signed)").fetch_one(&mut *tx).await?;
    rival.kill(me).await;
    Ok(())
}

/// From here it looks like any other connection that broke in COMMIT.
#[tokio::test]
#[ignore = "needs MariaDB: tests/run"]
async fn a_connection_killed_before_commit_is_in_doubt() {
    let database = database().await;
    let pool = session(&database, 1, "do 0").await;
    let runs = Runs::default();
    let failure = killed_from_outside(&pool, &Rival(database.pool().clone()), &runs).await.unwrap_err().unit();
    assert_eq!((failure.kind(), failure.phase()), (Kind::ConnectionLost, Phase::Commit));
    assert_eq!((failure.outcome(), runs.total()), (Outcome::InDoubt, 1));
    assert_eq!(events(&database).await, 0);
    insert(&pool, &runs).await.unwrap();
}

#[atomic_unit(retry = contention)]
async fn beside_a_backup(tx: &mut Tx<'_>, backup: &Rival, runs: &Runs) -> Result<(), Error> {
    let run = runs.count();
    if run == 2 {
        backup.run("unlock tables").await;
    }
    sqlx::query("insert into events values (?)").bind(i64::from(run)).execute(&mut *tx).await?;
    if run == 1 {
        backup.run("flush tables with read lock").await;
    }
    Ok(())
}

/// COMMIT gets no lock while a backup holds every table: refused, rolled back by the server, and replayed. On the server that
/// few tests use, since the lock is for all of it.
#[tokio::test]
#[ignore = "needs MariaDB: tests/run"]
async fn a_commit_that_gets_no_lock_is_replayed() {
    let database = database_on(ROLLBACK_URL).await;
    let pool = session(&database, 1, "set session lock_wait_timeout = 1").await;
    let backup = Rival(session(&database, 1, "do 0").await);
    let runs = Runs::default();
    beside_a_backup(&pool, &backup, &runs).await.unwrap();
    assert_eq!((runs.total(), events(&database).await), (2, 1));
}
