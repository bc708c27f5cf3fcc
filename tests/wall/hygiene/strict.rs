//! A crate whose lints are at their strictest sees nothing of ours.
#![deny(
    warnings,
    missing_docs,
    unreachable_pub,
    unused_qualifications,
    unused_lifetimes,
    single_use_lifetimes,
    elided_lifetimes_in_paths,
    trivial_casts,
    clippy::all,
    clippy::pedantic,
    clippy::absolute_paths,
    clippy::panic,
    clippy::ref_patterns,
    clippy::shadow_reuse,
    clippy::shadow_same,
    clippy::shadow_unrelated,
    clippy::unreachable,
    clippy::unwrap_used
)]

use std::time::UNIX_EPOCH;

use sqlx::SqlitePool;
use steadfast::{
    Classify, Provide, Slot, UnitFailure, atomic_unit,
    clock::SystemClock,
    job, provider_call, registry, repository,
    sqlite::Tx,
    testing::{MemoryLeases, run},
};
use tokio::task::yield_now;

use crate::wall::shop;

/// What can go wrong.
#[derive(Debug, thiserror::Error, Classify)]
pub(crate) enum TrialError {
    /// A provider asked to wait.
    #[error("later")]
    #[classify(rate_limited)]
    Later,
    /// The database's.
    #[error(transparent)]
    #[classify(transparent)]
    Db(#[from] sqlx::Error),
    /// The runtime's.
    #[error(transparent)]
    #[classify(transparent)]
    Unit(#[from] UnitFailure),
}

/// Trials, in their place.
pub(crate) struct Trials {
    db: SqlitePool,
}

#[repository]
impl Trials {
    /// Closes one.
    async fn set_closed(&self, tx: &mut Tx<'_>, trial: i64) -> Result<(), TrialError> {
        sqlx::query("update trials set closed = 1 where id = $1").bind(trial).execute(&mut *tx).await?;
        Ok(())
    }
}

impl Trials {
    /// Closes one, as a unit.
    #[atomic_unit(retry = contention, pool = self.db)]
    pub(crate) async fn close(&self, tx: &mut Tx<'_>, trial: i64, note: String) -> Result<String, TrialError> {
        self.set_closed(tx, trial).await?;
        Ok(note)
    }
}

/// Counts, for any key.
#[atomic_unit(retry = transient, idempotent = read)]
pub(crate) async fn count<const N: usize, K>(tx: &mut Tx<'_>, keys: [K; N], mut sum: i64) -> Result<i64, TrialError>
where
    K: Clone + Into<i64> + Send,
{
    for key in keys {
        sum += key.into();
    }
    let trials: i64 = sqlx::query_scalar("select count(*) from trials").fetch_one(&mut *tx).await?;
    Ok(sum + trials)
}

/// Charges.
#[provider_call(retry = limited)]
pub(crate) async fn charge(cents: Vec<u64>) -> Result<u64, TrialError> {
    yield_now().await;
    if cents.is_empty() { Err(TrialError::Later) } else { Ok(cents.into_iter().sum()) }
}

/// Closes the first.
#[job(cron = "0 3 * * *", exclusive, timeout = "1m", name = "strict.nightly")]
pub(crate) async fn nightly(slot: Slot, trials: &Trials) -> Result<String, TrialError> {
    trials.close(1, slot.key("close")).await
}

/// The application.
#[derive(Provide)]
pub(crate) struct App {
    trials: Trials,
}

registry! {
    /// Its jobs.
    pub(crate) static JOBS for App = [nightly];
}

#[tokio::test]
async fn lints_are_silent() {
    let database = shop().await;
    let db = database.pool();
    assert_eq!(count(db, [1_i64, 2], 3).await.expect("a count"), 9);
    assert_eq!(charge(vec![1, 2]).await.expect("a charge"), 3);
    let jobs = JOBS.with(App { trials: Trials { db: db.clone() } }).leases(MemoryLeases::new(SystemClock));
    let slot = Slot::floor(UNIX_EPOCH);
    let outcome = run(&jobs, "strict.nightly", slot).await.expect("a job");
    assert!(outcome.is_completed(), "{outcome:?}");
}
