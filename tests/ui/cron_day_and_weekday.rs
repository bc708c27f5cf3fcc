//! docs/rules.md#cron-means-one-thing: day of month and weekday together.

#![allow(unused)]

use steadfast::{Slot, job};
use steadfast_tests::shop::BillingError;

#[job(cron = "0 9 1 * MON", timeout = "1m")]
async fn job_1(slot: Slot) -> Result<(), BillingError> {
    Ok(())
}

fn main() {}
