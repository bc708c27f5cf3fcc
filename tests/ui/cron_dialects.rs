//! docs/rules.md#cron-means-one-thing: words that one parser knows.

#![allow(unused)]

use steadfast::{Slot, job};
use steadfast_tests::shop::BillingError;

#[job(cron = "0 0 L * *", timeout = "1m")]
async fn job_1(slot: Slot) -> Result<(), BillingError> {
    Ok(())
}

#[job(cron = "0 0 ? * MON", timeout = "1m")]
async fn job_2(slot: Slot) -> Result<(), BillingError> {
    Ok(())
}

#[job(cron = "0 0 15W * *", timeout = "1m")]
async fn job_3(slot: Slot) -> Result<(), BillingError> {
    Ok(())
}

#[job(cron = "0 0 * * FRI#2", timeout = "1m")]
async fn job_4(slot: Slot) -> Result<(), BillingError> {
    Ok(())
}

#[job(cron = "H * * * *", timeout = "1m")]
async fn job_5(slot: Slot) -> Result<(), BillingError> {
    Ok(())
}

fn main() {}
