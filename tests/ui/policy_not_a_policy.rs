//! docs/rules.md#name-every-policy: a name that is no policy.

#![allow(unused)]

use steadfast::{atomic_unit, provider_call, sqlite::Tx};
use steadfast_tests::shop::BillingError;

mod retry {
    pub struct Patience;
}

#[atomic_unit(retry = crate::retry::Patience)]
async fn close_trial(tx: &mut Tx<'_>, trial: i64) -> Result<(), BillingError> {
    Ok(())
}

#[provider_call(retry = Patience)]
async fn charge(cents: u64) -> Result<(), BillingError> {
    Ok(())
}

fn main() {}
