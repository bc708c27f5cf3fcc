//! Other attributes stay where they stand, above and below; both orders of `#[job]` and `#[atomic_unit]`; conditions.

use sqlx::SqlitePool;
use steadfast::{Provide, Slot, atomic_unit, job, jobs::JobMeta, provider_call, registry, sqlite::Tx};
use steadfast_tests::shop::{BillingError, Mailer};

use crate::wall::{close, closed, shop};

/// Documented, above.
#[allow(clippy::mixed_attributes_style)]
#[must_use = "a trial may be unknown"]
#[inline]
#[atomic_unit(retry = contention)]
/// Documented, below.
#[allow(clippy::let_unit_value)]
#[cfg_attr(test, doc = "Documented, under a condition.")]
async fn closes(
    tx: &mut Tx<'_>,
    #[cfg(test)] trial: i64,
    #[cfg(not(test))] trial: &'static str,
    #[allow(unused_variables)] unused: u8,
    #[cfg(not(test))] gone: Vec<Gone>,
) -> Result<(), BillingError> {
    #![allow(unused_mut)]
    let mut nothing = ();
    close(tx, trial).await?;
    Ok(nothing)
}

#[deprecated = "the new one is `closes`"]
#[atomic_unit(retry = contention)]
async fn old(tx: &mut Tx<'_>, trial: i64) -> Result<(), BillingError> {
    close(tx, trial).await
}

#[deprecated = "the new one is `job_above`"]
#[job(cron = "0 3 * * *", timeout = "1m", name = "attributes.old")]
async fn old_job(_slot: Slot) -> Result<(), BillingError> {
    Ok(())
}

#[provider_call(retry = limited)]
#[must_use]
#[cold]
async fn charge(#[cfg(test)] cents: u64, #[cfg(not(test))] cents: Gone) -> Result<u64, BillingError> {
    Ok(cents)
}

#[cfg(not(test))]
#[atomic_unit(retry = contention)]
async fn gone(tx: &mut Tx<'_>) -> Result<(), Gone> {}

#[atomic_unit(retry = contention)]
#[cfg(not(test))]
async fn gone_as_well(tx: &mut Tx<'_>) -> Result<(), Gone> {}

#[job(cron = "0 3 * * *", timeout = "1m", name = "attributes.job-above")]
/// A job, and a unit.
#[atomic_unit(retry = contention)]
async fn job_above(slot: Slot, tx: &mut Tx<'_>, mailer: &Mailer) -> Result<(), BillingError> {
    let _ = (slot, mailer);
    close(tx, 1).await
}

#[atomic_unit(retry = contention)]
#[job(cron = "0 3 * * *", timeout = "1m", name = "attributes.job-below")]
async fn job_below(slot: Slot, mailer: &Mailer, tx: &mut Tx<'_>) -> Result<(), BillingError> {
    let _ = (slot, mailer);
    close(tx, 2).await
}

#[job(cron = "0 3 * * *", timeout = "1m", name = "attributes.conditional")]
#[cfg(not(test))]
async fn conditional(slot: Slot) -> Result<(), Gone> {}

#[derive(Provide)]
struct App {
    db: SqlitePool,
    #[cfg(test)]
    mailer: Mailer,
    #[cfg(not(test))]
    mailer: Gone,
    #[cfg(not(test))]
    gone: Gone,
}

registry! {
    static JOBS for App = [
        job_above,
        #[cfg(not(test))]
        conditional,
        #[cfg(test)]
        job_below,
        old_job,
    ];
}

#[tokio::test]
async fn attributes_stay_where_they_stand() {
    let shop = shop().await;
    closes(shop.pool(), 3, 0).await.unwrap();
    #[expect(deprecated, reason = "the attribute has to reach the function")]
    old(shop.pool(), 3).await.unwrap();
    assert_eq!(charge(3).await.unwrap(), 3);
    assert_eq!(<job_above as JobMeta>::META.name, "attributes.job-above");
    assert_eq!(JOBS.iter().count(), 3, "what is not there is not listed");
    let jobs = JOBS.with(App { db: shop.pool().clone(), mailer: Mailer });
    for name in ["attributes.job-above", "attributes.job-below"] {
        let outcome = steadfast::testing::run(&jobs, name, Slot::floor(std::time::UNIX_EPOCH)).await.unwrap();
        assert!(outcome.is_completed(), "{outcome:?}");
    }
    assert_eq!(closed(&shop).await, 3);
}
