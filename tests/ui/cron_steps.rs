//! docs/rules.md#cron-means-one-thing: steps that parsers read differently.

#![allow(unused)]

use steadfast::{Slot, job};
use steadfast_tests::shop::BillingError;

#[job(cron = "5/15 * * * *", timeout = "1m")]
async fn job_1(slot: Slot) -> Result<(), BillingError> {
    Ok(())
}

#[job(cron = "*/0 * * * *", timeout = "1m")]
async fn job_2(slot: Slot) -> Result<(), BillingError> {
    Ok(())
}

#[job(cron = "0 */24 * * *", timeout = "1m")]
async fn job_3(slot: Slot) -> Result<(), BillingError> {
    Ok(())
}

fn main() {}
