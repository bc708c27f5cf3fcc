//! A COMMIT that is not answered in time, killed or refused. One that is lost: `faults/lost_commit/`.

use steadfast::{Kind, Outcome, Phase, atomic_unit, mysql::Tx};
use steadfast_tests::{mysql::ROLLBACK_URL, proxy::Fate};

use super::{Rival, database, database_on, events, insert};
use crate::engines::{
    Error, Runs,
    mysql::{session, unlucky},
};

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
