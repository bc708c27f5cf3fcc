//! docs/rules.md#a-failing-poll-backs-off: a function that cannot tick.

#![allow(unused)]

use steadfast::{Tick, poll};
use steadfast_tests::shop::BillingError;

#[poll(every = "1s", timeout = "30s")]
fn blocking() -> Result<Tick, BillingError> {
    Ok(Tick::Idle)
}

#[poll(every = "1s", timeout = "30s")]
async fn silent() {}

#[poll(every = "1s", timeout = "30s")]
async fn generic<T: Sync>(value: &T) -> Result<Tick, BillingError> {
    Ok(Tick::Idle)
}

struct Relay;

impl Relay {
    #[poll(every = "1s", timeout = "30s")]
    async fn method(&self) -> Result<Tick, BillingError> {
        Ok(Tick::Idle)
    }
}

fn main() {}
