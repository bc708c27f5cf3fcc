//! docs/rules.md#declare-a-job-once: a function that no slot can call.

#![allow(unused)]

use steadfast::{Slot, job};
use steadfast_tests::shop::BillingError;

#[job(cron = "0 3 * * *", timeout = "5m")]
fn blocking(slot: Slot) -> Result<(), BillingError> {
    Ok(())
}

#[job(cron = "0 3 * * *", timeout = "5m")]
async fn silent(slot: Slot) {}

#[job(cron = "0 3 * * *", timeout = "5m")]
async fn generic<T: Sync>(slot: Slot, value: &T) -> Result<(), BillingError> {
    Ok(())
}

struct Trials;

impl Trials {
    #[job(cron = "0 3 * * *", timeout = "5m")]
    async fn method(&self, slot: Slot) -> Result<(), BillingError> {
        Ok(())
    }
}

fn main() {}
