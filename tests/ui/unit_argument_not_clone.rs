//! docs/rules.md#wrap-exactly-the-unit: an argument by value that an attempt would use up.

#![allow(unused)]

use steadfast::{atomic_unit, sqlite::Tx};
use steadfast_tests::shop::BillingError;

mod retry {
    pub use steadfast::policy::*;
}

struct Invoice;

#[atomic_unit(retry = contention)]
async fn send(tx: &mut Tx<'_>, invoice: Invoice) -> Result<(), BillingError> {
    Ok(())
}

fn main() {}
