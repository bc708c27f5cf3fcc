//! The database: one file, and what is in it.

use std::{path::Path, time::Duration};

use sqlx::{
    SqlitePool,
    sqlite::{SqliteConnectOptions, SqliteJournalMode, SqlitePoolOptions, SqliteSynchronous},
};
use steadfast::{Slot, SqliteLeases};

/// How many trials end in each slot.
const TRIALS_A_SLOT: i64 = 8;

/// A pool on the file; its connections wait so long for a lock.
pub(super) async fn open(file: &Path, busy_timeout: Duration) -> sqlx::Result<SqlitePool> {
    let options = SqliteConnectOptions::new()
        .filename(file)
        .create_if_missing(true)
        .journal_mode(SqliteJournalMode::Wal)
        // No wait for the disk at each commit: a killed process loses nothing by it.
        .synchronous(SqliteSynchronous::Normal)
        .busy_timeout(busy_timeout);
    SqlitePoolOptions::new().max_connections(8).connect_with(options).await
}

/// Creates the tables, `jobs_leases` among them.
pub(super) async fn create(db: &SqlitePool) -> anyhow::Result<()> {
    SqliteLeases::new(db).install().await?;
    for table in [
        "create table subscribers (address text primary key)",
        "create table mails (slot integer not null, address text not null, replica integer not null)",
        "create table trials (id integer primary key, ends_at integer not null, closed_at integer)",
        "create table usage (trial integer not null, amount integer not null)",
        "create table bill (total integer not null)",
        "insert into bill values (0)",
        "insert into subscribers values ('ada@example.com'), ('alan@example.com'), ('grace@example.com'), ('linus@example.com')",
    ] {
        sqlx::query(table).execute(db).await?;
    }
    Ok(())
}

/// Something to do in every slot.
pub(super) async fn fill(db: &SqlitePool, first: Slot, slots: u32) -> anyhow::Result<()> {
    let mut tx = db.begin().await?;
    for trial in 0..i64::from(slots) * TRIALS_A_SLOT {
        sqlx::query("insert into trials (id, ends_at) values ($1, $2)")
            .bind(trial)
            .bind(first.unix_seconds() + trial / TRIALS_A_SLOT * 60)
            .execute(&mut *tx)
            .await?;
    }
    // Enough to count that a unit takes a few milliseconds.
    sqlx::query(
        "with recursive n(i) as (values (0) union all select i + 1 from n where i < 20000) \
         insert into usage select i % $1, 1 from n",
    )
    .bind(i64::from(slots) * TRIALS_A_SLOT)
    .execute(&mut *tx)
    .await?;
    tx.commit().await?;
    Ok(())
}
