//! docs/rules.md#ask-for-what-is-due-as-of-the-slot: a read of the wall clock.

#![allow(unused)]

use steadfast::{Slot, job};
use steadfast_tests::shop::BillingError;

#[job(cron = "0 3 * * *", timeout = "5m")]
async fn close_trials(slot: Slot) -> Result<(), BillingError> {
    let now = std::time::SystemTime::now();
    let today = chrono::Utc::now();
    Ok(())
}

fn main() {}
