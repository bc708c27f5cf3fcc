//! docs/rules.md#wrap-exactly-the-unit: a function that is not async, or has no body.

#![allow(unused)]

use steadfast::{atomic_unit, sqlite::Tx};
use steadfast_tests::shop::BillingError;

mod retry {
    pub use steadfast::policy::*;
}

#[atomic_unit(retry = contention)]
fn close_trial(tx: &mut Tx<'_>) -> Result<(), BillingError> {
    Ok(())
}

trait Trials {
    #[atomic_unit(retry = contention)]
    async fn open(&self, tx: &mut Tx<'_>) -> Result<(), BillingError>;
}

fn main() {}
