//! docs/rules.md#retry-by-what-ends-and-spreads: a retry without an end, one in step, and one of an error that says nothing.

#![allow(unused)]

use steadfast::schedule;
use steadfast_tests::shop::BillingError;

mod retry {
    steadfast::policies! {
        pub schedule without_end = exponential(base = "100ms", cap = "10s").jittered();
        pub schedule in_step = exponential(base = "100ms", cap = "10s").up_to(5);
        pub schedule patient = exponential(base = "100ms", cap = "10s").jittered().up_to(5);
    }
}

async fn charge() -> Result<(), BillingError> {
    Ok(())
}

async fn for_ever() -> Result<(), BillingError> {
    schedule::of::<retry::without_end>().retry_or_else(charge, async |error, _| Err(error)).await
}

async fn in_step() -> Result<(), BillingError> {
    schedule::of::<retry::in_step>().retry_or_else(charge, async |error, _| Err(error)).await
}

async fn says_nothing() -> Result<(), std::fmt::Error> {
    schedule::of::<retry::patient>().retry_or_else(async || Err(std::fmt::Error), async |error, _| Err(error)).await
}

fn main() {}
