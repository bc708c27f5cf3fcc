//! docs/rules.md#declare-a-job-once: no cron line.

#![allow(unused)]

use steadfast::{Slot, job};
use steadfast_tests::shop::BillingError;

#[job(timeout = "5m")]
async fn close_trials(slot: Slot) -> Result<(), BillingError> {
    Ok(())
}

#[job(every = "5m", timeout = "1m")]
async fn relay(slot: Slot) -> Result<(), BillingError> {
    Ok(())
}

fn main() {}
