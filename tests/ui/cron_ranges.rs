//! docs/rules.md#cron-means-one-thing: ranges that run backwards, or mix names and numbers.

#![allow(unused)]

use steadfast::{Slot, job};
use steadfast_tests::shop::BillingError;

#[job(cron = "0 22-2 * * *", timeout = "1m")]
async fn job_1(slot: Slot) -> Result<(), BillingError> {
    Ok(())
}

#[job(cron = "0 9 * * SAT-SUN", timeout = "1m")]
async fn job_2(slot: Slot) -> Result<(), BillingError> {
    Ok(())
}

#[job(cron = "0 9 1 NOV-12 *", timeout = "1m")]
async fn job_3(slot: Slot) -> Result<(), BillingError> {
    Ok(())
}

#[job(cron = "5-5 * * * *", timeout = "1m")]
async fn job_4(slot: Slot) -> Result<(), BillingError> {
    Ok(())
}

fn main() {}
