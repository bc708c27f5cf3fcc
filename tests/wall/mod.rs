//! The legal form beside each refused declaration of `ui/`: what a message tells to write compiles, and does what it says.
//!
//! A twin names its case, `// twin of: <rule>`.
// Forms of declarations: their bodies have little to do.
#![allow(clippy::unused_async, clippy::unused_self)]

mod classify;
mod declarations;
mod hygiene;
mod jobs;
mod page;
mod pairs;
mod policies;
mod polls;
mod provide;
mod provider_call;
mod registry;
mod repository;
mod schedules;
mod units;

use steadfast_tests::{shop::BillingError, sqlite::Database};

/// A shop with three open trials.
async fn shop() -> Database {
    let database = Database::create().await;
    for sql in [
        "create table trials (id integer primary key, closed integer not null default 0, note text)",
        "insert into trials (id) values (1), (2), (3)",
    ] {
        sqlx::query(sql).execute(database.pool()).await.unwrap();
    }
    database
}

async fn closed(database: &Database) -> i64 {
    sqlx::query_scalar("select count(*) from trials where closed = 1").fetch_one(database.pool()).await.unwrap()
}

/// What all twins of units do.
async fn close(tx: &mut steadfast::sqlite::Tx<'_>, trial: i64) -> Result<(), BillingError> {
    let sql = "update trials set closed = 1 where id = $1";
    match sqlx::query(sql).bind(trial).execute(&mut *tx).await?.rows_affected() {
        0 => Err(BillingError::Unknown(trial)),
        _ => Ok(()),
    }
}
