//! docs/rules.md#ask-for-what-is-due-as-of-the-slot: what is new "since the last run".

#![allow(unused)]

use std::{
    sync::Mutex,
    time::{SystemTime, UNIX_EPOCH},
};

use steadfast::{JobClock, Slot, job};
use steadfast_tests::shop::BillingError;

static LAST_RUN: Mutex<SystemTime> = Mutex::new(UNIX_EPOCH);

async fn close_since(since: SystemTime) -> Result<(), BillingError> {
    Ok(())
}

#[job(cron = "0 3 * * *", timeout = "5m")]
async fn by_the_clock(slot: Slot, clock: &JobClock) -> Result<(), BillingError> {
    let since = std::mem::replace(&mut *LAST_RUN.lock().unwrap(), SystemTime::now());
    close_since(since).await
}

#[job(cron = "0 3 * * *", timeout = "5m")]
async fn by_a_clock_that_is_lent(slot: Slot, clock: &JobClock) -> Result<(), BillingError> {
    let since = *LAST_RUN.lock().unwrap();
    close_since(since).await?;
    let now = clock.now();
    *LAST_RUN.lock().unwrap() = now;
    Ok(())
}

fn main() {}
