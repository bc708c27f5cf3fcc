//! docs/rules.md#name-every-policy: an expression where a name is due.

#![allow(unused)]

use steadfast::{atomic_unit, provider_call, sqlite::Tx};
use steadfast_tests::shop::BillingError;

mod retry {
    pub use steadfast::policy::*;
}

#[atomic_unit(retry = capped(base = "50ms", cap = "200ms", retries = 3))]
async fn close_trial(tx: &mut Tx<'_>, trial: i64) -> Result<(), BillingError> {
    Ok(())
}

#[atomic_unit(retry = "contention")]
async fn open_trial(tx: &mut Tx<'_>, trial: i64) -> Result<(), BillingError> {
    Ok(())
}

#[provider_call(retry = 3)]
async fn charge(cents: u64) -> Result<(), BillingError> {
    Ok(())
}

fn main() {}
