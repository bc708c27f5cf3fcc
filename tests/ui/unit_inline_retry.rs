//! docs/rules.md#wrap-exactly-the-unit: a retry in the body.

#![allow(unused)]

use backon::Retryable;
use steadfast::{atomic_unit, sqlite::Tx};
use steadfast_tests::shop::BillingError;
use tokio_retry2::Retry;

mod retry {
    pub use steadfast::policy::*;
}

#[atomic_unit(retry = contention)]
async fn by_method(tx: &mut Tx<'_>) -> Result<(), BillingError> {
    let ping = || async { Err(BillingError::Unknown(1)) };
    ping.retry(backon::ExponentialBuilder::default()).await
}

#[atomic_unit(retry = contention)]
async fn by_crate(tx: &mut Tx<'_>) -> Result<(), BillingError> {
    Retry::spawn([std::time::Duration::from_millis(50)], || async { Ok(()) }).await
}

#[atomic_unit(retry = contention)]
async fn by_import(tx: &mut Tx<'_>) -> Result<(), BillingError> {
    use tryhard::retry_fn;
    Ok(())
}

#[atomic_unit(retry = contention)]
async fn by_hand(tx: &mut Tx<'_>) -> Result<(), BillingError> {
    while sqlx::query("select 1").execute(&mut *tx).await.is_err() {
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    }
    Ok(())
}

#[atomic_unit(retry = contention)]
async fn by_schedule(tx: &mut Tx<'_>) -> Result<(), BillingError> {
    let ping = || async { Err(BillingError::Unknown(1)) };
    steadfast::schedule::of::<crate::retry::patient>().retry_or_else(ping, async |error, _| Err(error)).await
}

fn main() {}
