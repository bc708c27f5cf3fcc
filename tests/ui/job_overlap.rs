//! docs/rules.md#exclusive-is-a-question: a run that may meet the next slot.

#![allow(unused)]

use steadfast::{Slot, job};
use steadfast_tests::shop::BillingError;

#[job(cron = "* * * * *", exclusive, timeout = "30s")]
async fn relay(slot: Slot) -> Result<(), BillingError> {
    Ok(())
}

#[job(cron = "*/15 * * * *", exclusive, timeout = "15m")]
async fn bill(slot: Slot) -> Result<(), BillingError> {
    Ok(())
}

#[job(cron = "*/5 * * * *", timeout = "10m")]
async fn sweep(slot: Slot) -> Result<(), BillingError> {
    Ok(())
}

#[job(cron = "0 3 * * *", timeout = "5m", overlap = run)]
async fn both(slot: Slot) -> Result<(), BillingError> {
    Ok(())
}

fn main() {}
