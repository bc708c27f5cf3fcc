//! docs/rules.md#wrap-exactly-the-unit: no transaction.

#![allow(unused)]

use steadfast::{atomic_unit, sqlite::Tx};
use steadfast_tests::shop::BillingError;

mod retry {
    pub use steadfast::policy::*;
}

#[atomic_unit(retry = contention)]
async fn close_trial(trial: i64) -> Result<(), BillingError> {
    Ok(())
}

fn main() {}
