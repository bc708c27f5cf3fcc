//! docs/rules.md#a-heartbeat-proves-a-life-not-progress: a lease that would hold for more than 15 minutes.

#![allow(unused)]

use steadfast::{Slot, job};
use steadfast_tests::shop::BillingError;

#[job(cron = "0 3 * * *", exclusive, timeout = "1h")]
async fn rebuild_index(slot: Slot) -> Result<(), BillingError> {
    Ok(())
}

#[job(cron = "0 3 * * *", exclusive = true, timeout = "5m")]
async fn with_a_value(slot: Slot) -> Result<(), BillingError> {
    Ok(())
}

fn main() {}
