//! docs/rules.md#a-run-has-one-boundary: a run that no task could carry.
//!
//! A run is a task of its own, so what its body holds over an `.await` must be `Send`: drop it before, in a block of its own, or take a
//! type that is, for example `Arc` for `Rc`.

#![allow(unused)]

use steadfast::{Slot, job};
use steadfast_tests::shop::BillingError;

#[job(cron = "0 3 * * *", timeout = "5m")]
async fn close_trials(slot: Slot) -> Result<(), BillingError> {
    let seen = std::rc::Rc::new(1);
    tokio::task::yield_now().await;
    drop(seen);
    Ok(())
}

fn main() {}
