//! docs/rules.md#declare-a-job-once: a job that no registry lists, in an application.

#![deny(dead_code)]

use steadfast::{Slot, job};
use steadfast_tests::shop::BillingError;

#[job(cron = "0 3 * * *", timeout = "5m")]
async fn close_trials(_slot: Slot) -> Result<(), BillingError> {
    Ok(())
}

fn main() {}
