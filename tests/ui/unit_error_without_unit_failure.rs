//! docs/rules.md#could-and-may-are-two-questions: an error type that cannot hold the failure of a unit.

#![allow(unused)]

use steadfast::{atomic_unit, sqlite::Tx};
use steadfast_tests::shop::BillingError;

mod retry {
    pub use steadfast::policy::*;
}

#[derive(Debug, thiserror::Error, steadfast::Classify)]
enum TrialError {
    #[error(transparent)]
    #[classify(transparent)]
    Db(#[from] sqlx::Error),
}

#[atomic_unit(retry = contention)]
async fn close_trial(tx: &mut Tx<'_>) -> Result<(), TrialError> {
    Ok(())
}

fn main() {}
