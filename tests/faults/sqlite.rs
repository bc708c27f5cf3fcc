//! Faults on SQLite.

use std::time::Duration;

use sqlx::{
    SqlitePool,
    sqlite::{SqliteJournalMode, SqlitePoolOptions},
};
use steadfast::{Kind, Outcome, Phase, atomic_unit, sqlite::Tx};
use steadfast_tests::sqlite::{Database, options};

use crate::{
    engines::{
        Error, Runs, cancelled_after,
        sqlite::{NAME, inside_transaction},
    },
    faults::survival::Met,
};

/// One connection, and with it one database.
async fn in_memory() -> SqlitePool {
    let pool = SqlitePoolOptions::new().max_connections(1).connect("sqlite::memory:").await.unwrap();
    sqlx::query("create table events (id integer primary key)").execute(&pool).await.unwrap();
    pool
}

async fn events(pool: &SqlitePool) -> i64 {
    sqlx::query_scalar("select count(*) from events").fetch_one(pool).await.unwrap()
}

#[atomic_unit(retry = contention)]
async fn insert(tx: &mut Tx<'_>, id: i64, runs: &Runs) -> Result<(), Error> {
    runs.count();
    sqlx::query("insert into events values ($1)").bind(id).execute(&mut *tx).await?;
    tokio::task::yield_now().await;
    sqlx::query("update events set id = id").execute(&mut *tx).await?;
    Ok(())
}

/// A closed connection would take the whole database with it.
#[tokio::test]
async fn an_in_memory_database_survives_cancelled_units() {
    let pool = in_memory().await;
    let runs = Runs::default();
    let mut applied = 0;
    for id in 0..100 {
        let polls = rand::random_range(0..8);
        applied += i64::from(matches!(cancelled_after(polls, insert(&pool, id, &runs)).await, Some(Ok(()))));
    }
    assert!(events(&pool).await >= applied);
    assert_eq!(inside_transaction(&pool).await, 0);
}

#[atomic_unit(retry = contention)]
async fn insert_or_rollback(tx: &mut Tx<'_>, swallow: bool) -> Result<(), Error> {
    sqlx::query("insert into events values (2)").execute(&mut *tx).await?;
    let refused = sqlx::query("insert or rollback into events values (1)").execute(&mut *tx).await;
    if !swallow {
        refused?;
    }
    let after = sqlx::query("insert into events values (3)").execute(&mut *tx).await;
    assert!(after.is_err(), "outside of the transaction it would have been committed at once");
    Ok(())
}

/// The engine rolls back by itself. Nothing runs after that, and sqlx's own count of transactions is put right.
#[tokio::test]
async fn a_rollback_by_the_engine_poisons_no_connection() {
    let pool = in_memory().await;
    let runs = Runs::default();
    insert(&pool, 1, &runs).await.unwrap();
    for swallow in [true, false] {
        assert!(insert_or_rollback(&pool, swallow).await.is_err());
        assert_eq!(events(&pool).await, 1);
    }
    insert(&pool, 4, &runs).await.unwrap();
    assert_eq!(events(&pool).await, 2);
}

/// BEGIN IMMEDIATE meets a writer: contention, retried, and reported as it was when it does not end.
#[tokio::test]
async fn busy_at_begin_is_retried() {
    let met = Met::new(NAME, "BUSY at BEGIN");
    let database = Database::with(2, Duration::from_millis(1)).await;
    let pool = database.pool();
    sqlx::query("create table events (id integer primary key)").execute(pool).await.unwrap();
    let mut writer = pool.acquire().await.unwrap();
    sqlx::raw_sql("begin immediate").execute(&mut *writer).await.unwrap();
    let runs = Runs::default();
    let told = insert(pool, 1, &runs).await;
    let met = met.told(&told);
    let failure = told.unwrap_err().unit();
    assert_eq!((failure.kind(), failure.phase()), (Kind::LockTimeout, Phase::Begin));
    assert_eq!((failure.attempts(), failure.outcome()), (4, Outcome::NotApplied));
    assert_eq!(runs.total(), 0);
    sqlx::raw_sql("rollback").execute(&mut *writer).await.unwrap();
    drop(writer);
    met.left(&runs, events(pool).await, inside_transaction(pool).await);
    insert(pool, 1, &runs).await.unwrap();
}

/// With a rollback journal a reader keeps COMMIT from happening; the transaction stays open, so it is rolled back first.
#[tokio::test]
async fn busy_at_commit_is_rolled_back_and_retried() {
    let met = Met::new(NAME, "BUSY at COMMIT, a reader is open");
    let database = Database::with(1, Duration::from_millis(1)).await;
    let options = options(database.path(), Duration::from_millis(1)).journal_mode(SqliteJournalMode::Delete);
    database.pool().close().await;
    let pool = SqlitePoolOptions::new().max_connections(2).connect_with(options).await.unwrap();
    sqlx::query("create table events (id integer primary key)").execute(&pool).await.unwrap();
    let mut reader = pool.acquire().await.unwrap();
    sqlx::raw_sql("begin; select * from events").execute(&mut *reader).await.unwrap();
    let runs = Runs::default();
    let told = insert(&pool, 1, &runs).await;
    let met = met.told(&told);
    let failure = told.unwrap_err().unit();
    assert_eq!((failure.kind(), failure.phase()), (Kind::LockTimeout, Phase::Commit));
    assert_eq!((failure.attempts(), failure.outcome()), (4, Outcome::NotApplied));
    assert_eq!(runs.total(), 4);
    sqlx::raw_sql("rollback").execute(&mut *reader).await.unwrap();
    drop(reader);
    met.left(&runs, events(&pool).await, inside_transaction(&pool).await);
    insert(&pool, 1, &runs).await.unwrap();
    assert_eq!(events(&pool).await, 1);
}

/// Somebody else in the same file: a unit itself takes no pool.
struct Rival<'a>(&'a SqlitePool);

#[atomic_unit(retry = contention, begin = deferred)]
async fn read_then_write(tx: &mut Tx<'_>, rival: &Rival<'_>, runs: &Runs) -> Result<(), Error> {
    let seen: i64 = sqlx::query_scalar("select count(*) from events").fetch_one(&mut *tx).await?;
    if runs.count() == 1 {
        sqlx::query("insert into events values (100)").execute(rival.0).await.unwrap();
    }
    sqlx::query("insert into events values ($1)").bind(seen).execute(&mut *tx).await?;
    Ok(())
}

/// A transaction that began to read before somebody else wrote: no waiting helps it, only to begin again.
#[tokio::test]
async fn busy_snapshot_replays_the_unit() {
    let met = Met::new(NAME, "BUSY_SNAPSHOT at a statement");
    let database = Database::with(2, Duration::from_millis(1)).await;
    let (pool, runs) = (database.pool(), Runs::default());
    sqlx::query("create table events (id integer primary key)").execute(pool).await.unwrap();
    let told = read_then_write(pool, &Rival(pool), &runs).await;
    assert!(told.is_ok(), "{told:?}");
    assert_eq!(runs.total(), 2);
    let ids: Vec<i64> = sqlx::query_scalar("select id from events order by id").fetch_all(pool).await.unwrap();
    assert_eq!(ids, [1, 100], "the second run saw the other's row");
    met.told(&told).left(&runs, 1, inside_transaction(pool).await);
}

#[atomic_unit(retry = contention)]
async fn smuggle(tx: &mut Tx<'_>) -> Result<(), Error> {
    sqlx::query("insert into events values (1); commit; begin").execute(&mut *tx).await?;
    Ok(())
}

/// SQLite runs every statement of a text, also with arguments.
#[tokio::test]
async fn control_behind_another_statement_is_refused() {
    let pool = in_memory().await;
    let error = smuggle(&pool).await.unwrap_err();
    assert!(error.to_string().contains("`COMMIT` inside an atomic unit"), "{error}");
    assert_eq!(events(&pool).await, 0);
}

#[atomic_unit(retry = contention)]
async fn abandon(tx: &mut Tx<'_>, go_on: bool) -> Result<(), Error> {
    // Slow enough to be dropped in time.
    let sql = "insert or rollback into events with recursive c (n) as (select 1 union all select n + 1 from c where n < 300000) \
               select 1 from c where n = 300000";
    assert!(cancelled_after(0, sqlx::query(sql).execute(&mut *tx)).await.is_none());
    if go_on {
        sqlx::query("insert into events values (2)").execute(&mut *tx).await?;
        sqlx::query("insert into events values (1)").execute(&mut *tx).await?;
    }
    Ok(())
}

/// The engine has rolled back and nobody was there to be told: what follows would be committed one by one.
#[tokio::test]
async fn a_statement_dropped_before_its_answer_ends_the_unit() {
    let pool = in_memory().await;
    insert(&pool, 1, &Runs::default()).await.unwrap();
    assert!(abandon(&pool, true).await.is_err());
    assert_eq!(events(&pool).await, 1);
    let failure = abandon(&pool, false).await.unwrap_err().unit();
    assert_eq!((failure.phase(), failure.outcome()), (Phase::Body, Outcome::NotApplied));
    insert(&pool, 3, &Runs::default()).await.unwrap();
    assert_eq!(events(&pool).await, 2);
}

#[atomic_unit(retry = contention)]
async fn insert_two(tx: &mut Tx<'_>) -> Result<i64, Error> {
    let sql = "insert into events values (1) returning id; insert into events values (2)";
    Ok(sqlx::query_scalar(sql).fetch_one(&mut *tx).await?)
}

/// The engine would stop at the row it was asked for, and the unit would commit the half.
#[tokio::test]
async fn a_statement_behind_the_row_that_was_asked_for_is_refused() {
    let pool = in_memory().await;
    let error = insert_two(&pool).await.unwrap_err();
    assert!(error.to_string().contains("several statements"), "{error}");
    assert_eq!(events(&pool).await, 0);
}

#[atomic_unit(retry = contention)]
async fn fill(tx: &mut Tx<'_>, runs: &Runs) -> Result<(), Error> {
    runs.count();
    sqlx::query("insert into big values (zeroblob(1000000))").execute(&mut *tx).await?;
    Ok(())
}

/// A full disk is no contention; the connection is closed, since the engine may have rolled back by itself.
#[tokio::test]
async fn a_full_disk_is_not_retried() {
    let met = Met::new(NAME, "disk full");
    let database = Database::with(1, Duration::from_secs(1)).await;
    let pool = database.pool();
    sqlx::query("create table big (b blob)").execute(pool).await.unwrap();
    sqlx::raw_sql("pragma max_page_count = 10").execute(pool).await.unwrap();
    let runs = Runs::default();
    let told = fill(pool, &runs).await;
    let Err(Error::Db(error)) = &told else { panic!("{told:?}") };
    assert_eq!(
        error.as_database_error().and_then(sqlx::error::DatabaseError::code).as_deref(),
        Some("13"),
        "SQLITE_FULL"
    );
    assert_eq!(runs.total(), 1);
    let rows = sqlx::query_scalar("select count(*) from big").fetch_one(pool).await.unwrap();
    met.told(&told).left(&runs, rows, inside_transaction(pool).await);
    // The next connection has no such limit.
    fill(pool, &runs).await.unwrap();
}
