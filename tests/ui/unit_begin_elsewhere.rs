//! docs/rules.md#begin-as-the-unit-needs: a way to begin that only SQLite has.

#![allow(unused)]

use steadfast::{atomic_unit, postgres::Tx};
use steadfast_tests::shop::BillingError;

mod retry {
    pub use steadfast::policy::*;
}

#[atomic_unit(retry = contention, begin = exclusive)]
async fn close_books(tx: &mut Tx<'_>) -> Result<(), BillingError> {
    todo!()
}

fn main() {}
