//! docs/rules.md#wrap-exactly-the-unit: a function that returns no `Result`, or one that cannot be named.

#![allow(unused)]

use steadfast::{atomic_unit, sqlite::Tx};
use steadfast_tests::shop::BillingError;

mod retry {
    pub use steadfast::policy::*;
}

#[atomic_unit(retry = contention)]
async fn nothing(tx: &mut Tx<'_>) {}

#[atomic_unit(retry = contention)]
async fn count(tx: &mut Tx<'_>) -> Option<u8> {
    Some(1)
}

#[atomic_unit(retry = contention)]
async fn all(tx: &mut Tx<'_>) -> Result<impl Iterator<Item = i64>, BillingError> {
    Ok(std::iter::empty())
}

fn main() {}
