//! docs/rules.md#a-declaration-is-read-as-it-is-written: a literal that nobody wrote by hand.

#![allow(unused)]

use steadfast::{Slot, job};
use steadfast_tests::shop::BillingError;

#[job(
    cron = "0 3 * * *",
    timeout = "5m",
    name = "billing.0123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789"
)]
async fn close_trials(slot: Slot) -> Result<(), BillingError> {
    Ok(())
}

#[job(
    cron = "0,1,2,3,4,5,6,7,8,9,0,1,2,3,4,5,6,7,8,9,0,1,2,3,4,5,6,7,8,9,0,1,2,3,4,5,6,7,8,9,0,1,2,3,4,5,6,7,8,9,0,1,2,3,4,5,6,7,8,9,0 3 * * *",
    timeout = "5s"
)]
async fn close_often(slot: Slot) -> Result<(), BillingError> {
    Ok(())
}

fn main() {}
