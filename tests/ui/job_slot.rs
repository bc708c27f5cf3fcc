//! docs/rules.md#ask-for-what-is-due-as-of-the-slot: a first parameter that is no slot.

#![allow(unused)]

use steadfast::{Slot, job};
use steadfast_tests::shop::BillingError;

#[job(cron = "0 3 * * *", timeout = "5m")]
async fn nothing() -> Result<(), BillingError> {
    Ok(())
}

#[job(cron = "0 3 * * *", timeout = "5m")]
async fn too_late(db: &sqlx::SqlitePool, slot: Slot) -> Result<(), BillingError> {
    Ok(())
}

#[job(cron = "0 3 * * *", timeout = "5m")]
async fn by_reference(slot: &Slot) -> Result<(), BillingError> {
    Ok(())
}

#[job(cron = "0 3 * * *", timeout = "5m")]
async fn two(slot: Slot, before: Slot) -> Result<(), BillingError> {
    Ok(())
}

fn main() {}
