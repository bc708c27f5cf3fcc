//! A crate that forbids `unsafe`, and with it every `allow(unsafe_code)`.
#![forbid(unsafe_code)]

use sqlx::SqlitePool;
use steadfast::{Provide, Slot, atomic_unit, job, provider_call, registry, sqlite::Tx};
use steadfast_tests::shop::BillingError;

#[atomic_unit(retry = contention)]
async fn closes(tx: &mut Tx<'_>, trial: i64) -> Result<(), BillingError> {
    crate::wall::close(tx, trial).await
}

#[provider_call(retry = limited)]
async fn charge(cents: u64) -> Result<u64, BillingError> {
    Ok(cents)
}

#[job(cron = "0 3 * * *", timeout = "1m")]
async fn nightly(_slot: Slot, db: &SqlitePool) -> Result<(), BillingError> {
    closes(db, 1).await?;
    charge(3).await.map(drop)
}

#[derive(Provide)]
struct App {
    db: SqlitePool,
}

registry! { static JOBS for App = [nightly]; }

#[tokio::test]
async fn no_expansion_is_unsafe() {
    let shop = crate::wall::shop().await;
    let jobs = JOBS.with(App { db: shop.pool().clone() });
    let name = JOBS.iter().next().unwrap().name;
    let outcome = steadfast::testing::run(&jobs, name, Slot::floor(std::time::UNIX_EPOCH)).await.unwrap();
    assert!(outcome.is_completed(), "{outcome:?}");
}
