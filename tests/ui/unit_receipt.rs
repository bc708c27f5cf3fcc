//! docs/rules.md#a-lost-connection-needs-an-answer: the key of a receipt is no parameter of its own.

#![allow(unused)]

use steadfast::{atomic_unit, sqlite::Tx};
use steadfast_tests::shop::BillingError;

mod retry {
    pub use steadfast::policy::*;
}

#[atomic_unit(retry = transient, idempotent = receipt(order))]
async fn no_parameter(tx: &mut Tx<'_>, id: i64) -> Result<(), BillingError> {
    todo!()
}

#[atomic_unit(retry = transient, idempotent = receipt(tx))]
async fn the_transaction(tx: &mut Tx<'_>, id: i64) -> Result<(), BillingError> {
    todo!()
}

#[atomic_unit(retry = transient, idempotent = receipt(id))]
async fn part_of_a_pattern(tx: &mut Tx<'_>, (id, _): (i64, i64)) -> Result<(), BillingError> {
    todo!()
}

#[atomic_unit(retry = transient, idempotent = receipt)]
async fn no_key(tx: &mut Tx<'_>, id: i64) -> Result<(), BillingError> {
    todo!()
}

#[steadfast::provider_call(retry = transient, idempotent = receipt(key))]
async fn charge(key: &str) -> Result<(), BillingError> {
    todo!()
}

fn main() {}
