//! docs/rules.md#a-lost-connection-needs-an-answer: an answer that is none, or a second one.

#![allow(unused)]

use steadfast::{atomic_unit, sqlite::Tx};
use steadfast_tests::shop::BillingError;

mod retry {
    pub use steadfast::policy::*;
}

#[atomic_unit(retry = transient, idempotent = true)]
async fn no_answer(tx: &mut Tx<'_>) -> Result<(), BillingError> {
    Ok(())
}

#[atomic_unit(retry = transient, idempotent = setstate)]
async fn typo(tx: &mut Tx<'_>) -> Result<(), BillingError> {
    Ok(())
}

#[atomic_unit(retry = transient, in_doubt = ask)]
async fn unknown(tx: &mut Tx<'_>) -> Result<(), BillingError> {
    Ok(())
}

#[atomic_unit(retry = transient, idempotent = read, in_doubt = fail)]
async fn two_answers(tx: &mut Tx<'_>) -> Result<(), BillingError> {
    Ok(())
}

fn main() {}
