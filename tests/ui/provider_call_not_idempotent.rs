//! docs/rules.md#retry-http-where-a-replay-is-harmless: a repeat that could charge twice.

#![allow(unused)]

use steadfast::provider_call;
use steadfast_tests::shop::BillingError;

mod retry {
    steadfast::policies! {
        pub policy provider = capped(base = "200ms", cap = "2s", retries = 5).on(rate_limited, unavailable);
    }
}

#[provider_call(retry = provider)]
async fn charge(cents: u64) -> Result<(), BillingError> {
    Ok(())
}

fn main() {}
