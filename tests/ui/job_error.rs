//! docs/rules.md#a-run-has-one-boundary: an error that nobody could log.

#![allow(unused)]

use steadfast::{Slot, job};

#[derive(Debug)]
enum TrialError {}

#[job(cron = "0 3 * * *", timeout = "5m")]
async fn close_trials(slot: Slot) -> Result<(), TrialError> {
    Ok(())
}

fn main() {}
