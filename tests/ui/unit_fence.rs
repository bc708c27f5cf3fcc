//! docs/rules.md#a-fenced-unit-commits-for-its-holder: a fence that is no lease of the unit's database, and a lease that nobody holds.

#![allow(unused)]

mod retry {
    pub use steadfast::policy::*;
}

use steadfast::{Slot, atomic_unit, job, sqlite::{Lease, Tx}};
use steadfast_tests::shop::BillingError;

#[atomic_unit(retry = contention, fence = lease)]
async fn names_nothing(tx: &mut Tx<'_>, trial: i64) -> Result<(), BillingError> {
    Ok(())
}

#[atomic_unit(retry = contention, fence = lease)]
async fn by_value(tx: &mut Tx<'_>, lease: Lease) -> Result<(), BillingError> {
    Ok(())
}

#[atomic_unit(retry = contention, fence = "lease")]
async fn by_text(tx: &mut Tx<'_>, lease: &Lease) -> Result<(), BillingError> {
    Ok(())
}

#[atomic_unit(retry = contention, fence = slot)]
async fn by_slot(tx: &mut Tx<'_>, slot: &Slot) -> Result<(), BillingError> {
    Ok(())
}

#[atomic_unit(retry = contention, fence = lease)]
async fn elsewhere(tx: &mut Tx<'_>, lease: &steadfast::postgres::Lease) -> Result<(), BillingError> {
    Ok(())
}

#[atomic_unit(retry = contention)]
async fn unfenced(tx: &mut Tx<'_>, lease: &Lease) -> Result<(), BillingError> {
    Ok(())
}

#[job(name = "not-exclusive", cron = "0 3 * * *", timeout = "5m")]
async fn not_exclusive(_: Slot, lease: &Lease) -> Result<(), BillingError> {
    Ok(())
}

fn main() {}
