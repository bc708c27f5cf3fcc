//! docs/rules.md#retry-http-where-a-replay-is-harmless: a function whose body cannot run twice.

#![allow(unused)]

use steadfast::provider_call;
use steadfast_tests::shop::BillingError;

mod retry {
    steadfast::policies! {
        pub policy provider = capped(base = "200ms", cap = "2s", retries = 5).on(rate_limited);
    }
}

#[provider_call(retry = provider)]
fn blocking(cents: u64) -> Result<(), BillingError> {
    Ok(())
}

#[provider_call(retry = provider)]
async fn silent(cents: u64) {}

#[provider_call(retry = provider)]
async fn collects(seen: &mut Vec<u64>) -> Result<(), BillingError> {
    Ok(())
}

#[provider_call(retry = provider)]
async fn by_hand(cents: u64) -> Result<(), BillingError> {
    loop {
        tokio::time::sleep(std::time::Duration::from_secs(1)).await;
    }
}

fn main() {}
