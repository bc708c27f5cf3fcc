//! docs/rules.md#a-lost-connection-needs-an-answer: an id that is no parameter.

#![allow(unused)]

use steadfast::{atomic_unit, sqlite::Tx};
use steadfast_tests::shop::BillingError;

mod retry {
    pub use steadfast::policy::*;
}

#[atomic_unit(retry = transient, idempotent = client_id(order_id))]
async fn order(tx: &mut Tx<'_>, order: i64) -> Result<(), BillingError> {
    Ok(())
}

#[atomic_unit(retry = transient, idempotent = client_id(tx))]
async fn pay(tx: &mut Tx<'_>, order: i64) -> Result<(), BillingError> {
    Ok(())
}

#[atomic_unit(retry = transient, idempotent = client_id)]
async fn cancel(tx: &mut Tx<'_>, order: i64) -> Result<(), BillingError> {
    Ok(())
}

fn main() {}
