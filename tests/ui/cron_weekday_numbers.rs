//! docs/rules.md#cron-means-one-thing: weekdays by number.

#![allow(unused)]

use steadfast::{Slot, job};
use steadfast_tests::shop::BillingError;

#[job(cron = "0 9 * * 1-5", timeout = "1m")]
async fn job_1(slot: Slot) -> Result<(), BillingError> {
    Ok(())
}

#[job(cron = "0 9 * * 7", timeout = "1m")]
async fn job_2(slot: Slot) -> Result<(), BillingError> {
    Ok(())
}

fn main() {}
