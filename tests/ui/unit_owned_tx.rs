//! docs/rules.md#the-runtime-owns-the-transaction: a transaction that is not borrowed, or has no name.

#![allow(unused)]

use steadfast::{atomic_unit, sqlite::Tx};
use steadfast_tests::shop::BillingError;

mod retry {
    pub use steadfast::policy::*;
}

#[atomic_unit(retry = contention)]
async fn owned(tx: Tx<'_>) -> Result<(), BillingError> {
    Ok(())
}

#[atomic_unit(retry = contention)]
async fn shared(tx: &Tx<'_>) -> Result<(), BillingError> {
    Ok(())
}

#[atomic_unit(retry = contention)]
async fn unnamed(_: &mut Tx<'_>) -> Result<(), BillingError> {
    Ok(())
}

fn main() {}
