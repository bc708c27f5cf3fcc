//! docs/rules.md#d1-classifies-nothing: what belongs to a transaction that is begun, on a batch of D1.

#![allow(unused)]

use steadfast::{atomic_unit, d1::Tx};
use steadfast_tests::shop::BillingError;

mod retry {
    pub use steadfast::policy::*;
}

#[atomic_unit(retry = contention, isolation = serializable)]
async fn close_books(tx: &mut Tx<'_>) -> Result<(), BillingError> {
    todo!()
}

#[atomic_unit(retry = contention, read_only)]
async fn open_books(tx: &mut Tx<'_>) -> Result<(), BillingError> {
    todo!()
}

#[atomic_unit(retry = transient, idempotent = read)]
async fn read_books(tx: &mut Tx<'_>) -> Result<(), BillingError> {
    todo!()
}

#[atomic_unit(retry = contention, begin = immediate)]
async fn begin_books(tx: &mut Tx<'_>) -> Result<(), BillingError> {
    todo!()
}

#[atomic_unit(retry = transient, in_doubt = resolve)]
async fn resolve_books(tx: &mut Tx<'_>) -> Result<(), BillingError> {
    todo!()
}

fn main() {}
