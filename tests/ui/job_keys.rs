//! docs/rules.md#declare-a-job-once: keys that are unknown, doubled, or another attribute's.

#![allow(unused)]

use steadfast::{Slot, job};
use steadfast_tests::shop::BillingError;

#[job(crn = "0 3 * * *", timeout = "5m")]
async fn unknown(slot: Slot) -> Result<(), BillingError> {
    Ok(())
}

#[job(cron = "0 3 * * *", timeout = "5m", timeout = "6m")]
async fn doubled(slot: Slot) -> Result<(), BillingError> {
    Ok(())
}

#[job(cron = "0 3 * * *", timeout = "5m", retry = contention)]
async fn misplaced(slot: Slot) -> Result<(), BillingError> {
    Ok(())
}

#[job("0 3 * * *", timeout = "5m")]
async fn no_key(slot: Slot) -> Result<(), BillingError> {
    Ok(())
}

fn main() {}
