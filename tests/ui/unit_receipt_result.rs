//! docs/rules.md#a-lost-connection-needs-an-answer: a result that no receipt can keep, a key that has no text.

#![allow(unused)]

use steadfast::{atomic_unit, sqlite::Tx};
use steadfast_tests::shop::BillingError;

mod retry {
    pub use steadfast::policy::*;
}

struct Order;

#[atomic_unit(retry = steadfast::policy::contention, idempotent = receipt(id))]
async fn place_order(tx: &mut Tx<'_>, id: i64) -> Result<Order, BillingError> {
    todo!()
}

#[atomic_unit(retry = steadfast::policy::contention, idempotent = receipt(order))]
async fn close_order(tx: &mut Tx<'_>, order: &Order) -> Result<(), BillingError> {
    todo!()
}

fn main() {}
