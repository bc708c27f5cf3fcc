//! docs/rules.md#repositories-never-retry: a unit inside of another one's transaction.
//!
//! E0308: a unit begins its own transaction, so it is called with the pool, and inside of another unit not at all. What two units share is
//! a function that takes `&mut Tx<'_>`, for example under `#[repository]`.

#![allow(unused)]

use steadfast::{atomic_unit, sqlite::Tx};
use steadfast_tests::shop::BillingError;

mod retry {
    pub use steadfast::policy::*;
}

#[atomic_unit(retry = contention)]
async fn close_trial(tx: &mut Tx<'_>, trial: i64) -> Result<(), BillingError> {
    Ok(())
}

#[atomic_unit(retry = contention)]
async fn close_both(tx: &mut Tx<'_>) -> Result<(), BillingError> {
    close_trial(tx, 1).await?;
    Ok(())
}

fn main() {}
