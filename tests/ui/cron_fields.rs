//! docs/rules.md#cron-means-one-thing: more or fewer than five fields.

#![allow(unused)]

use steadfast::{Slot, job};
use steadfast_tests::shop::BillingError;

#[job(cron = "0 0 3 * * *", timeout = "1m")]
async fn job_1(slot: Slot) -> Result<(), BillingError> {
    Ok(())
}

#[job(cron = "0 3 * *", timeout = "1m")]
async fn job_2(slot: Slot) -> Result<(), BillingError> {
    Ok(())
}

#[job(cron = "", timeout = "1m")]
async fn job_3(slot: Slot) -> Result<(), BillingError> {
    Ok(())
}

fn main() {}
