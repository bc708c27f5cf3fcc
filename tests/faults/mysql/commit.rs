//! A COMMIT that is refused. One that is lost: `faults/lost_commit/`.

use steadfast::{atomic_unit, mysql::Tx};
use steadfast_tests::mysql::ROLLBACK_URL;

use super::{Rival, database_on, events};
use crate::engines::{Error, Runs, mysql::session};

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
