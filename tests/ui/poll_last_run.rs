//! docs/rules.md#ask-for-what-is-due-as-of-the-slot: what is new "since the last tick".

#![allow(unused)]

use std::sync::atomic::{AtomicI64, Ordering::Relaxed};

use steadfast::{JobClock, Slot, Tick, poll};
use steadfast_tests::shop::BillingError;

static LAST_TICK: AtomicI64 = AtomicI64::new(0);

#[poll(every = "1s", timeout = "30s")]
async fn relay(clock: &JobClock) -> Result<Tick, BillingError> {
    let since = LAST_TICK.swap(Slot::floor(clock.now()).unix_seconds(), Relaxed);
    Ok(Tick::Idle)
}

fn main() {}
