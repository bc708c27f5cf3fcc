//! docs/rules.md#could-and-may-are-two-questions: an error type that does not say what it is.

#![allow(unused)]

use steadfast::{atomic_unit, sqlite::Tx};
use steadfast_tests::shop::BillingError;

mod retry {
    pub use steadfast::policy::*;
}

#[derive(Debug, thiserror::Error)]
enum TrialError {
    #[error(transparent)]
    Unit(#[from] steadfast::UnitFailure),
}

#[atomic_unit(retry = contention)]
async fn close_trial(tx: &mut Tx<'_>) -> Result<(), TrialError> {
    Ok(())
}

fn main() {}
