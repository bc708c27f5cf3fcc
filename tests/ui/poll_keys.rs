//! docs/rules.md#a-failing-poll-backs-off: keys that are unknown, doubled, or a job's.

#![allow(unused)]

use steadfast::{Tick, poll};
use steadfast_tests::shop::BillingError;

#[poll(evry = "1s", timeout = "30s")]
async fn unknown() -> Result<Tick, BillingError> {
    Ok(Tick::Idle)
}

#[poll(every = "1s", timeout = "30s", every = "2s")]
async fn doubled() -> Result<Tick, BillingError> {
    Ok(Tick::Idle)
}

#[poll(cron = "* * * * *", timeout = "30s")]
async fn slots() -> Result<Tick, BillingError> {
    Ok(Tick::Idle)
}

#[poll(every = "1s", timeout = "30s", exclusive, overlap = skip, splay = "5s", retry = contention)]
async fn of_a_job() -> Result<Tick, BillingError> {
    Ok(Tick::Idle)
}

#[poll(every = "1s", timeout = "30s", name = "Mail Relay")]
async fn in_words() -> Result<Tick, BillingError> {
    Ok(Tick::Idle)
}

fn main() {}
