//! docs/rules.md#wrap-exactly-the-unit: keys that are unknown, doubled, or another attribute's.

#![allow(unused)]

use steadfast::{atomic_unit, sqlite::Tx};
use steadfast_tests::shop::BillingError;

mod retry {
    pub use steadfast::policy::*;
}

#[atomic_unit(retri = contention)]
async fn unknown(tx: &mut Tx<'_>) -> Result<(), BillingError> {
    Ok(())
}

#[atomic_unit(retry = contention, retry = transient)]
async fn doubled(tx: &mut Tx<'_>) -> Result<(), BillingError> {
    Ok(())
}

#[atomic_unit(retry = contention, cron = "0 3 * * *")]
async fn misplaced(tx: &mut Tx<'_>) -> Result<(), BillingError> {
    Ok(())
}

#[atomic_unit(retry = contention, pool)]
async fn no_value(tx: &mut Tx<'_>) -> Result<(), BillingError> {
    Ok(())
}

fn main() {}
