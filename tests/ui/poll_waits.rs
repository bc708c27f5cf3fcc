//! docs/rules.md#a-run-does-not-wait-for-the-next-one: a schedule inside of a poll.

#![allow(unused)]

use std::time::Duration;

use backon::Retryable;
use steadfast::{Tick, poll};
use steadfast_tests::shop::BillingError;

async fn send_one() -> Result<Tick, BillingError> {
    Ok(Tick::Idle)
}

#[poll(every = "1s", timeout = "30s")]
async fn until_all_are_sent() -> Result<Tick, BillingError> {
    loop {
        send_one().await?;
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}

#[poll(every = "1s", timeout = "30s")]
async fn with_a_retry() -> Result<Tick, BillingError> {
    send_one.retry(backon::ExponentialBuilder::default()).await
}

#[poll(every = "1s", timeout = "30s")]
async fn every_tenth() -> Result<Tick, BillingError> {
    let mut ticks = tokio::time::interval(Duration::from_millis(100));
    loop {
        ticks.tick().await;
        send_one().await?;
    }
}

fn main() {}
