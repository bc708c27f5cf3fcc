//! docs/rules.md#a-declaration-is-read-as-it-is-written: all mistakes of one invocation are told at once.

#![allow(unused)]

use sqlx::SqlitePool;
use steadfast::{atomic_unit, job, sqlite::Tx};

mod retry {
    pub use steadfast::policy::*;
}

#[atomic_unit(retri = contention, pool, exclusive)]
async fn close_trial(tx: &mut Tx<'_>, closed: &mut Vec<i64>, db: &SqlitePool) {
    tokio::spawn(async {});
    loop {
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    }
}

#[job(cron = "60 24 * * 1-5", timeout = "0s", name = "Close Trials", seconds = 3)]
fn close_trials(db: SqlitePool) {
    std::time::SystemTime::now();
}

fn main() {}
