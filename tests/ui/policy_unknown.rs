//! docs/rules.md#name-every-policy: a name that nobody declared.

#![allow(unused)]

use steadfast::{atomic_unit, sqlite::Tx};
use steadfast_tests::shop::BillingError;

mod retry {
    pub use steadfast::policy::*;
}

#[atomic_unit(retry = contentoin)]
async fn close_trial(tx: &mut Tx<'_>, trial: i64) -> Result<(), BillingError> {
    Ok(())
}

fn main() {}
