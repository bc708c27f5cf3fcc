//! docs/rules.md#cron-means-one-thing: a time zone.

#![allow(unused)]

use steadfast::{Slot, job};
use steadfast_tests::shop::BillingError;

#[job(cron = "CRON_TZ=Europe/Berlin 0 3 * * *", timeout = "1m")]
async fn in_the_line(slot: Slot) -> Result<(), BillingError> {
    Ok(())
}

#[job(cron = "0 3 * * *", timezone = "Europe/Berlin", timeout = "1m")]
async fn as_a_key(slot: Slot) -> Result<(), BillingError> {
    Ok(())
}

fn main() {}
