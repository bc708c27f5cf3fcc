//! Deadlocks, changed snapshots and locks that are not granted.

use steadfast::{Classify as _, Kind, Outcome, atomic_unit, mysql::Tx};
use steadfast_tests::mysql::{ROLLBACK_URL, URL};
use tokio::sync::Barrier;

use super::{Rival, database, database_on, events};
use crate::{
    engines::{
        Error, Runs,
        mysql::{NAME, inside_transaction, session},
    },
    faults::survival::Met,
};

#[atomic_unit(retry = patient)]
async fn transfer(tx: &mut Tx<'_>, from: i64, to: i64, barrier: &Barrier, runs: &Runs) -> Result<(), Error> {
    let run = runs.count();
    let first = run <= 2;
    sqlx::query("insert into events values (?)").bind(i64::from(run)).execute(&mut *tx).await?;
    for (id, by) in [(from, -1_i64), (to, 1)] {
        sqlx::query("update hot set n = n + ? where id = ?").bind(by).bind(id).execute(&mut *tx).await?;
        // Each holds its first row.
        if first && id == from {
            barrier.wait().await;
        }
    }
    Ok(())
}

#[tokio::test]
#[ignore = "needs MariaDB: tests/run"]
async fn a_deadlock_is_replayed_as_a_whole() {
    let met = Met::new(NAME, "deadlock");
    let database = database().await;
    let (pool, barrier, runs) = (database.pool(), Barrier::new(2), Runs::default());
    let (one, two) = tokio::join!(transfer(pool, 1, 2, &barrier, &runs), transfer(pool, 2, 1, &barrier, &runs));
    assert!(one.is_ok() && two.is_ok(), "{one:?} {two:?}");
    assert_eq!(runs.total(), 3);
    met.told(&one).told(&two).left(&runs, events(&database).await, inside_transaction(pool).await);
    let rows: Vec<i64> = sqlx::query_scalar("select n from hot order by id").fetch_all(pool).await.unwrap();
    assert_eq!(rows, [0, 0]);
}

#[atomic_unit(retry = patient)]
async fn transfer_in_savepoints(
    tx: &mut Tx<'_>,
    from: i64,
    to: i64,
    barrier: &Barrier,
    runs: &Runs,
) -> Result<(), Error> {
    let run = runs.count();
    sqlx::query("insert into events values (?)").bind(i64::from(run)).execute(&mut *tx).await?;
    sqlx::query("update hot set n = n - 1 where id = ?").bind(from).execute(&mut *tx).await?;
    if run <= 2 {
        barrier.wait().await;
    }
    let given = tx
        .savepoint(async |mut tx| {
            sqlx::query("update hot set n = n + 1 where id = ?").bind(to).execute(&mut tx).await?;
            Ok::<_, Error>(())
        })
        .await;
    if given.is_err() {
        // The server has rolled back and forgotten the savepoint: this would be committed at once.
        let after = sqlx::query("insert into events values (100)").execute(&mut *tx).await;
        assert!(after.is_err());
    }
    Ok(())
}

/// Even when the body goes on as if it had been an expected failure.
#[tokio::test]
#[ignore = "needs MariaDB: tests/run"]
async fn a_deadlock_in_a_savepoint_replays_the_whole_unit() {
    let met = Met::new(NAME, "deadlock in a savepoint");
    let database = database().await;
    let pool = session(&database, 2, "do 0").await;
    let (barrier, runs) = (Barrier::new(2), Runs::default());
    let (one, two) = tokio::join!(
        transfer_in_savepoints(&pool, 1, 2, &barrier, &runs),
        transfer_in_savepoints(&pool, 2, 1, &barrier, &runs)
    );
    assert_eq!((runs.total(), events(&database).await), (3, 2));
    met.told(&one).told(&two).left(&runs, events(&database).await, inside_transaction(&pool).await);
    let rows: Vec<i64> = sqlx::query_scalar("select n from hot order by id").fetch_all(&pool).await.unwrap();
    assert_eq!(rows, [0, 0]);
}

const SNAPSHOT: &str = "set session innodb_snapshot_isolation = on";

#[atomic_unit(retry = contention)]
async fn increment_after_rival(tx: &mut Tx<'_>, rival: &Rival, runs: &Runs) -> Result<(), Error> {
    let run = runs.count();
    sqlx::query("insert into events values (?)").bind(i64::from(run)).execute(&mut *tx).await?;
    let n: i64 = sqlx::query_scalar("select n from hot where id = 1").fetch_one(&mut *tx).await?;
    if run == 1 {
        rival.run("update hot set n = n + 10 where id = 1").await;
    }
    sqlx::query("update hot set n = ? where id = 1").bind(n + 1).execute(&mut *tx).await?;
    Ok(())
}

#[tokio::test]
#[ignore = "needs MariaDB: tests/run"]
async fn a_row_changed_since_the_snapshot_replays_the_unit() {
    let met = Met::new(NAME, "serialization failure at a statement");
    let database = database().await;
    let pool = session(&database, 1, SNAPSHOT).await;
    let runs = Runs::default();
    let told = increment_after_rival(&pool, &Rival(database.pool().clone()), &runs).await;
    let n: i64 = sqlx::query_scalar("select n from hot where id = 1").fetch_one(&pool).await.unwrap();
    assert_eq!((runs.total(), n), (2, 11));
    met.told(&told).left(&runs, events(&database).await, inside_transaction(&pool).await);
}

#[atomic_unit(retry = deadlock_only)]
async fn swallow_rollback(tx: &mut Tx<'_>, rival: &Rival, runs: &Runs) -> Result<(), Error> {
    runs.count();
    sqlx::query("insert into events values (1)").execute(&mut *tx).await?;
    let n: i64 = sqlx::query_scalar("select n from hot where id = 1").fetch_one(&mut *tx).await?;
    rival.run("update hot set n = n + 10 where id = 1").await;
    let refused = sqlx::query("update hot set n = ? where id = 1").bind(n + 1).execute(&mut *tx).await;
    assert!(refused.is_err());
    let after = sqlx::query("insert into events values (2)").execute(&mut *tx).await;
    assert!(after.is_err(), "outside of the transaction it would have been committed at once");
    Ok(())
}

/// The server rolls back by itself and is in autocommit from then on.
#[tokio::test]
#[ignore = "needs MariaDB: tests/run"]
async fn a_swallowed_rollback_of_the_server_applies_nothing() {
    let database = database().await;
    let pool = session(&database, 1, SNAPSHOT).await;
    let runs = Runs::default();
    let failure = swallow_rollback(&pool, &Rival(database.pool().clone()), &runs).await.unwrap_err().unit();
    assert_eq!((failure.kind(), failure.outcome()), (Kind::Serialization, Outcome::NotApplied));
    assert_eq!((runs.total(), events(&database).await), (1, 0));
    assert_eq!(inside_transaction(&pool).await, 0);
}

#[atomic_unit(retry = contention)]
async fn wait_for_row(tx: &mut Tx<'_>, sql: &'static str, ignore: bool, runs: &Runs) -> Result<(), Error> {
    let run = runs.count();
    sqlx::query("insert into events values (?)").bind(i64::from(run)).execute(&mut *tx).await?;
    if run == 1 || !ignore {
        let locked = sqlx::query(sql).execute(&mut *tx).await;
        if !ignore {
            locked?;
        }
    }
    Ok(())
}

/// 1205 rolls back the statement or the transaction, as the server is configured. A unit ends alike: what came before is gone,
/// and the whole is replayed.
#[tokio::test]
#[ignore = "needs MariaDB: tests/run"]
async fn a_lock_that_is_not_granted_replays_the_unit_whatever_the_server_rolls_back() {
    for (variable, whole) in [(URL, false), (ROLLBACK_URL, true)] {
        let database = database_on(variable).await;
        let pool = session(&database, 1, "set session innodb_lock_wait_timeout = 0").await;
        let mut holder = database.pool().begin().await.unwrap();
        sqlx::query("update hot set n = 1 where id = 1").execute(&mut *holder).await.unwrap();
        let sql = "select 1 from hot where id = 1 for update";
        // What the servers do differently, without us.
        let mut raw = pool.begin().await.unwrap();
        sqlx::query("insert into events values (100)").execute(&mut *raw).await.unwrap();
        sqlx::query(sql).execute(&mut *raw).await.unwrap_err();
        let open: i64 =
            sqlx::query_scalar("select cast(@@in_transaction as signed)").fetch_one(&mut *raw).await.unwrap();
        assert_eq!(open == 0, whole);
        raw.rollback().await.unwrap();

        for (fault, sql) in [("lock timeout", sql), ("NOWAIT", "select 1 from hot where id = 1 for update nowait")] {
            let (met, runs) = (Met::new(NAME, fault), Runs::default());
            let told = wait_for_row(&pool, sql, false, &runs).await;
            let kind = told.as_ref().unwrap_err().failure().map(|failure| failure.kind);
            assert_eq!((kind, runs.total()), (Some(Kind::LockTimeout), 4), "{sql}");
            met.told(&told).left(&runs, events(&database).await, inside_transaction(&pool).await);
        }
        let runs = Runs::default();
        wait_for_row(&pool, sql, true, &runs).await.unwrap();
        assert_eq!((runs.total(), events(&database).await), (2, 1));
        assert_eq!(inside_transaction(&pool).await, 0);
    }
}

#[atomic_unit(retry = patient)]
async fn slow(tx: &mut Tx<'_>, runs: &Runs) -> Result<(), Error> {
    let id = i64::from(runs.count());
    sqlx::query("insert into events values (?)").bind(id).execute(&mut *tx).await?;
    sqlx::query("set statement max_statement_time = 0.02 for select sleep(5)").execute(&mut *tx).await?;
    Ok(())
}

#[tokio::test]
#[ignore = "needs MariaDB: tests/run"]
async fn a_statement_timeout_is_never_retried() {
    let met = Met::new(NAME, "statement timeout");
    let (database, runs) = (database().await, Runs::default());
    let told = slow(database.pool(), &runs).await;
    let kind = told.as_ref().unwrap_err().failure().map(|failure| failure.kind);
    assert_eq!((kind, runs.total()), (Some(Kind::StatementTimeout), 1));
    met.told(&told).left(&runs, events(&database).await, inside_transaction(database.pool()).await);
}
