//! docs/rules.md#one-layer-retries-a-failure: a task that outlives its attempt.

#![allow(unused)]

use steadfast::{atomic_unit, sqlite::Tx};
use steadfast_tests::shop::BillingError;

mod retry {
    pub use steadfast::policy::*;
}

#[atomic_unit(retry = contention)]
async fn close_trial(tx: &mut Tx<'_>, trial: i64) -> Result<(), BillingError> {
    tokio::spawn(async move { println!("{trial}") });
    Ok(())
}

#[atomic_unit(retry = contention)]
async fn close_all(tx: &mut Tx<'_>) -> Result<(), BillingError> {
    let mut tasks = tokio::task::JoinSet::new();
    tasks.spawn_blocking(|| ());
    Ok(())
}

fn main() {}
