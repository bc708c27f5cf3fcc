//! docs/rules.md#wrap-exactly-the-unit: an argument whose changes a replay would see.

#![allow(unused)]

use steadfast::{atomic_unit, sqlite::Tx};
use steadfast_tests::shop::BillingError;

mod retry {
    pub use steadfast::policy::*;
}

struct Trials;

impl Trials {
    #[atomic_unit(retry = contention)]
    async fn close(&mut self, tx: &mut Tx<'_>) -> Result<(), BillingError> {
        Ok(())
    }

    #[atomic_unit(retry = contention)]
    async fn open(self, tx: &mut Tx<'_>) -> Result<(), BillingError> {
        Ok(())
    }
}

#[atomic_unit(retry = contention)]
async fn close_all(tx: &mut Tx<'_>, closed: &mut Vec<i64>) -> Result<(), BillingError> {
    Ok(())
}

fn main() {}
