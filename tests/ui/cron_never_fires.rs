//! docs/rules.md#cron-means-one-thing: a day that no month has.

#![allow(unused)]

use steadfast::{Slot, job};
use steadfast_tests::shop::BillingError;

#[job(cron = "0 0 30 2 *", timeout = "1m")]
async fn job_1(slot: Slot) -> Result<(), BillingError> {
    Ok(())
}

fn main() {}
