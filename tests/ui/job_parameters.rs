//! docs/rules.md#declare-a-job-once: a parameter that no application can lend.

#![allow(unused)]

use steadfast::{Slot, job};
use steadfast_tests::shop::BillingError;

#[job(cron = "0 3 * * *", timeout = "5m")]
async fn by_value(slot: Slot, db: sqlx::SqlitePool) -> Result<(), BillingError> {
    Ok(())
}

#[job(cron = "0 3 * * *", timeout = "5m")]
async fn by_mut(slot: Slot, sent: &mut Vec<i64>) -> Result<(), BillingError> {
    Ok(())
}

#[job(cron = "0 3 * * *", timeout = "5m")]
async fn transaction(slot: Slot, tx: &mut steadfast::sqlite::Tx<'_>) -> Result<(), BillingError> {
    Ok(())
}

#[job(cron = "0 3 * * *", timeout = "5m")]
async fn conditional(slot: Slot, #[cfg(unix)] db: &sqlx::SqlitePool) -> Result<(), BillingError> {
    Ok(())
}

fn main() {}
