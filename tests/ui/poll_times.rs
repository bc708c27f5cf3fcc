//! docs/rules.md#a-failing-poll-backs-off: an interval or a timeout that is missing, zero, too long, or no duration.

#![allow(unused)]

use steadfast::{Tick, poll};
use steadfast_tests::shop::BillingError;

#[poll()]
async fn neither() -> Result<Tick, BillingError> {
    Ok(Tick::Idle)
}

#[poll(every = "0s", timeout = "0s")]
async fn no_time() -> Result<Tick, BillingError> {
    Ok(Tick::Idle)
}

#[poll(every = "5m", timeout = "16m")]
async fn a_job() -> Result<Tick, BillingError> {
    Ok(Tick::Idle)
}

#[poll(every = 1, timeout = "thirty seconds")]
async fn no_duration() -> Result<Tick, BillingError> {
    Ok(Tick::Idle)
}

fn main() {}
