//! docs/rules.md#a-lost-connection-needs-an-answer: an engine that cannot say what became of a COMMIT is asked.

#![allow(unused)]

use steadfast::{atomic_unit, sqlite::Tx};
use steadfast_tests::shop::BillingError;

mod retry {
    pub use steadfast::policy::*;
}

#[atomic_unit(retry = transient, in_doubt = resolve)]
async fn append_event(tx: &mut Tx<'_>) -> Result<(), BillingError> {
    todo!()
}

fn main() {}
