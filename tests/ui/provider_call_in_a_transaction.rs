//! docs/rules.md#retry-http-where-a-replay-is-harmless: a transaction, or a pool, around what only a provider does.

#![allow(unused)]

use sqlx::SqlitePool;
use steadfast::{provider_call, sqlite::Tx};
use steadfast_tests::shop::BillingError;

mod retry {
    steadfast::policies! {
        pub policy provider = capped(base = "200ms", cap = "2s", retries = 5).on(rate_limited);
    }
}

#[provider_call(retry = provider)]
async fn charge(tx: &mut Tx<'_>, cents: u64) -> Result<(), BillingError> {
    Ok(())
}

#[provider_call(retry = provider)]
async fn refund(db: &SqlitePool, cents: u64) -> Result<(), BillingError> {
    Ok(())
}

#[provider_call(retry = provider, in_doubt = fail)]
async fn remind(trial: i64) -> Result<(), BillingError> {
    Ok(())
}

fn main() {}
