//! docs/rules.md#retry-http-where-a-replay-is-harmless: a policy that only a database can honour.

#![allow(unused)]

use steadfast::provider_call;
use steadfast_tests::shop::BillingError;

mod retry {
    pub use steadfast::policy::*;
}

#[provider_call(retry = contention)]
async fn charge(cents: u64) -> Result<(), BillingError> {
    Ok(())
}

fn main() {}
