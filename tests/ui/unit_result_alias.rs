//! docs/rules.md#wrap-exactly-the-unit: an alias that is no `Result`.

#![allow(unused)]

use steadfast::{atomic_unit, sqlite::Tx};
use steadfast_tests::shop::BillingError;

mod retry {
    pub use steadfast::policy::*;
}

type Count = u8;

#[atomic_unit(retry = contention)]
async fn count(tx: &mut Tx<'_>) -> Count {
    let _: BillingError = BillingError::Unknown(1);
    3
}

fn main() {}
