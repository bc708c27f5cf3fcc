//! docs/rules.md#wrap-exactly-the-unit: `retry` left out.

#![allow(unused)]

use steadfast::{atomic_unit, sqlite::Tx};
use steadfast_tests::shop::BillingError;

mod retry {
    pub use steadfast::policy::*;
}

#[atomic_unit]
async fn close_trial(tx: &mut Tx<'_>) -> Result<(), BillingError> {
    Ok(())
}

#[steadfast::provider_call]
async fn charge(cents: u64) -> Result<(), BillingError> {
    Ok(())
}

fn main() {}
