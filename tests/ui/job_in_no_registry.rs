//! docs/rules.md#declare-a-job-once: a job that no registry lists, in an application.
//!
//! The lint `dead_code`: a job that no registry lists never runs. List it, for example `registry! { static JOBS for App = [close_trials]; }`.
//! Of a `pub` function in a library rustc cannot know; `steadfast-lint` compares the two.

#![deny(dead_code)]

use steadfast::{Slot, job};
use steadfast_tests::shop::BillingError;

#[job(cron = "0 3 * * *", timeout = "5m")]
async fn close_trials(_slot: Slot) -> Result<(), BillingError> {
    Ok(())
}

fn main() {}
