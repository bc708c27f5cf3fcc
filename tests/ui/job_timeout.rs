//! docs/rules.md#declare-a-job-once: a timeout that is missing, zero, or no duration.

#![allow(unused)]

use steadfast::{Slot, job};
use steadfast_tests::shop::BillingError;

#[job(cron = "0 3 * * *")]
async fn without_end(slot: Slot) -> Result<(), BillingError> {
    Ok(())
}

#[job(cron = "0 3 * * *", timeout = "0s")]
async fn no_time(slot: Slot) -> Result<(), BillingError> {
    Ok(())
}

#[job(cron = "0 3 * * *", timeout = 300)]
async fn a_number(slot: Slot) -> Result<(), BillingError> {
    Ok(())
}

fn main() {}
