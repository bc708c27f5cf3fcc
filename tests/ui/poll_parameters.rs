//! docs/rules.md#a-failing-poll-backs-off: a slot, a lease, and what is not lent.

#![allow(unused)]

use steadfast::{Slot, Tick, poll, sqlite::Lease};
use steadfast_tests::shop::BillingError;

#[poll(every = "1s", timeout = "30s")]
async fn slot(slot: Slot, db: &sqlx::SqlitePool) -> Result<Tick, BillingError> {
    Ok(Tick::Idle)
}

#[poll(every = "1s", timeout = "30s")]
async fn lease(lease: &Lease) -> Result<Tick, BillingError> {
    Ok(Tick::Idle)
}

#[poll(every = "1s", timeout = "30s")]
async fn by_value(db: sqlx::SqlitePool) -> Result<Tick, BillingError> {
    Ok(Tick::Idle)
}

#[poll(every = "1s", timeout = "30s")]
async fn by_mut(sent: &mut Vec<i64>) -> Result<Tick, BillingError> {
    Ok(Tick::Idle)
}

fn main() {}
