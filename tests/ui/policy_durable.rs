//! docs/rules.md#a-durable-delay-comes-from-the-row: a durable policy that does not end, and one that is to retry a unit.

#![allow(unused)]

use steadfast::{atomic_unit, sqlite::Tx};
use steadfast_tests::shop::BillingError;

mod retry {
    steadfast::policies! {
        pub policy relay = durable(base = "1s", cap = "1h", attempts = 20);
        pub policy for_ever = durable(base = "1s", cap = "1h");
        pub policy once = durable(base = "1s", cap = "1h", attempts = 1);
        pub policy too_often = durable(base = "1s", cap = "1h", attempts = 99999999);
        pub policy both = durable(base = "1s", cap = "1h", attempts = 20).on(contention);
    }
}

#[atomic_unit(retry = relay)]
async fn close_trial(tx: &mut Tx<'_>, trial: i64) -> Result<(), BillingError> {
    Ok(())
}

fn main() {}
