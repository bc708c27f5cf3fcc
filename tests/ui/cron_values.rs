//! docs/rules.md#cron-means-one-thing: values that do not exist.

#![allow(unused)]

use steadfast::{Slot, job};
use steadfast_tests::shop::BillingError;

#[job(cron = "60 * * * *", timeout = "1m")]
async fn job_1(slot: Slot) -> Result<(), BillingError> {
    Ok(())
}

#[job(cron = "0 24 * * *", timeout = "1m")]
async fn job_2(slot: Slot) -> Result<(), BillingError> {
    Ok(())
}

#[job(cron = "0 9 * * Sunday", timeout = "1m")]
async fn job_3(slot: Slot) -> Result<(), BillingError> {
    Ok(())
}

#[job(cron = "1,,2 * * * *", timeout = "1m")]
async fn job_4(slot: Slot) -> Result<(), BillingError> {
    Ok(())
}

fn main() {}
