//! docs/rules.md#declare-a-job-once: a name that cannot be a key and a label.

#![allow(unused)]

use steadfast::{Slot, job};
use steadfast_tests::shop::BillingError;

#[job(cron = "0 3 * * *", timeout = "5m", name = "Close Trials")]
async fn in_words(slot: Slot) -> Result<(), BillingError> {
    Ok(())
}

#[job(cron = "0 3 * * *", timeout = "5m", name = "")]
async fn empty(slot: Slot) -> Result<(), BillingError> {
    Ok(())
}

fn main() {}
