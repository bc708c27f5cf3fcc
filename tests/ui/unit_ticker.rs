//! docs/rules.md#wrap-exactly-the-unit: a ticker in the body.

#![allow(unused)]

use std::time::Duration;

use steadfast::{atomic_unit, provider_call, sqlite::Tx};
use steadfast_tests::shop::BillingError;

mod retry {
    pub use steadfast::policy::*;
    steadfast::policies! {
        pub policy provider = capped(base = "200ms", cap = "2s", retries = 5).on(rate_limited);
    }
}

#[atomic_unit(retry = contention)]
async fn close_trials(tx: &mut Tx<'_>) -> Result<(), BillingError> {
    let mut ticks = tokio::time::interval(Duration::from_secs(1));
    for _ in 0..3 {
        ticks.tick().await;
    }
    Ok(())
}

#[provider_call(retry = provider)]
async fn ask_again(every: u64) -> Result<(), BillingError> {
    use tokio::time::{Instant, interval_at};
    let mut ticks = interval_at(Instant::now(), Duration::from_secs(every));
    Ok(())
}

fn main() {}
