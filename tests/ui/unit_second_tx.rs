//! docs/rules.md#wrap-exactly-the-unit: two transactions.

#![allow(unused)]

use steadfast::{atomic_unit, sqlite::Tx};
use steadfast_tests::shop::BillingError;

mod retry {
    pub use steadfast::policy::*;
}

#[atomic_unit(retry = contention)]
async fn move_trial(from: &mut Tx<'_>, to: &mut Tx<'_>, trial: i64) -> Result<(), BillingError> {
    Ok(())
}

fn main() {}
