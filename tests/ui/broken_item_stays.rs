//! docs/rules.md#a-declaration-is-read-as-it-is-written: a mistake is one error, and none at those who call or list the item.

#![allow(unused)]

use sqlx::SqlitePool;
use steadfast::{Provide, Slot, atomic_unit, job, provider_call, registry, sqlite::Tx};
use steadfast_tests::shop::BillingError;

mod retry {
    steadfast::policies! {
        pub policy contention = capped(base = "50ms", cap = "200ms", retries = 99).on(contention);
    }
}

#[atomic_unit(retry = contention, unknown)]
async fn close_trial(tx: &mut Tx<'_>, trial: i64) -> Result<(), BillingError> {
    sqlx::query("update trials set closed = 1 where id = $1").bind(trial).execute(&mut *tx).await?;
    Ok(())
}

#[provider_call(retry = contention, unknown)]
async fn charge(cents: u64) -> Result<(), BillingError> {
    Ok(())
}

#[job(cron = "0 3 * * 1", timeout = "5m")]
async fn close_trials(slot: Slot, db: &SqlitePool) -> Result<(), BillingError> {
    charge(3).await?;
    close_trial(db, 1).await
}

#[derive(Provide)]
struct App {
    db: SqlitePool,
    #[provide(unknown)]
    cache: Vec<u8>,
}

registry! {
    static JOBS for App = [close_trials];
}

fn main() {
    println!("{:?}", JOBS);
}
