//! docs/rules.md#a-run-does-not-wait-for-the-next-one: a schedule inside of a job.

#![allow(unused)]

use std::time::Duration;

use backon::Retryable;
use steadfast::{Slot, job};
use steadfast_tests::shop::BillingError;

async fn close_trials(slot: Slot) -> Result<(), BillingError> {
    Ok(())
}

#[job(cron = "0 3 * * *", timeout = "5m")]
async fn until_it_works(slot: Slot) -> Result<(), BillingError> {
    while close_trials(slot).await.is_err() {
        tokio::time::sleep(Duration::from_secs(1)).await;
    }
    Ok(())
}

#[job(cron = "0 3 * * *", timeout = "5m")]
async fn with_a_retry(slot: Slot) -> Result<(), BillingError> {
    (|| close_trials(slot)).retry(backon::ExponentialBuilder::default()).await
}

#[job(cron = "0 3 * * *", timeout = "5m")]
async fn every_second(slot: Slot) -> Result<(), BillingError> {
    let mut ticks = tokio::time::interval(Duration::from_secs(1));
    loop {
        ticks.tick().await;
        close_trials(slot).await?;
    }
}

fn main() {}
