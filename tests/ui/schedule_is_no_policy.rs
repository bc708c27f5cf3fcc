//! docs/rules.md#pace-by-name: a schedule where a policy is due, and a policy where a schedule is.

#![allow(unused)]

use steadfast::{atomic_unit, schedule, sqlite::Tx};
use steadfast_tests::shop::BillingError;

mod retry {
    steadfast::policies! {
        pub policy contention = capped(base = "50ms", cap = "200ms", retries = 3).on(contention);
        pub schedule tick = spaced("1s");
    }
}

#[atomic_unit(retry = tick)]
async fn close_trial(tx: &mut Tx<'_>, trial: i64) -> Result<(), BillingError> {
    Ok(())
}

async fn poll() -> Result<(), BillingError> {
    schedule::of::<retry::contention>();
    Ok(())
}

fn main() {}
