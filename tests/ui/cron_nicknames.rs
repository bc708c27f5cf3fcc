//! docs/rules.md#cron-means-one-thing: nicknames and intervals.

#![allow(unused)]

use steadfast::{Slot, job};
use steadfast_tests::shop::BillingError;

#[job(cron = "@daily", timeout = "1m")]
async fn job_1(slot: Slot) -> Result<(), BillingError> {
    Ok(())
}

#[job(cron = "@every 5m", timeout = "1m")]
async fn job_2(slot: Slot) -> Result<(), BillingError> {
    Ok(())
}

#[job(cron = "@reboot", timeout = "1m")]
async fn job_3(slot: Slot) -> Result<(), BillingError> {
    Ok(())
}

fn main() {}
