//! docs/rules.md#d1-classifies-nothing: a receipt, which a unit reads in its transaction, on a batch of D1.

#![allow(unused)]

use steadfast::{atomic_unit, d1::Tx};
use steadfast_tests::shop::BillingError;

mod retry {
    pub use steadfast::policy::*;
}

#[atomic_unit(retry = transient, idempotent = receipt(order))]
async fn place_order(tx: &mut Tx<'_>, order: i64) -> Result<(), BillingError> {
    todo!()
}

fn main() {}
