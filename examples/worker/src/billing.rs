//! The slice: what happens to trials, whatever they are kept in.

use async_trait::async_trait;
use steadfast::{Classify, Slot, UnitFailure, job};

use crate::store;

/// Why trials could not be looked at or closed.
#[derive(Debug, thiserror::Error, Classify)]
pub enum TrialError {
    /// The database failed: sqlx's error, or what D1 said.
    #[error(transparent)]
    #[classify(transparent)]
    Database(#[from] store::Error),
    /// A unit failed for good.
    #[error(transparent)]
    #[classify(transparent)]
    Unit(#[from] UnitFailure),
}

/// What the slice needs of a database.
///
/// A server moves its futures between threads, and a Worker has one: the target decides.
#[cfg_attr(target_family = "wasm", async_trait(?Send))]
#[cfg_attr(not(target_family = "wasm"), async_trait)]
pub trait Trials: Send + Sync {
    /// The open trials that had ended at the slot.
    async fn due_at(&self, slot: Slot) -> Result<Vec<i64>, TrialError>;

    /// Closes one and leaves the mail about it in the outbox: both, or neither.
    async fn close(&self, trial: i64, slot: Slot) -> Result<(), TrialError>;

    /// How many are open.
    async fn open(&self) -> Result<i64, TrialError>;
}

#[job(name = "billing.close-expired-trials", cron = "0 3 * * *", exclusive, timeout = "5m")]
pub(crate) async fn close_expired_trials(slot: Slot, trials: &dyn Trials) -> Result<(), TrialError> {
    for trial in trials.due_at(slot).await? {
        trials.close(trial, slot).await?;
    }
    Ok(())
}

/// At the same minute: the two share a trigger.
#[job(name = "billing.report-open-trials", cron = "0 3 * * *", timeout = "1m")]
pub(crate) async fn report_open_trials(slot: Slot, trials: &dyn Trials) -> Result<(), TrialError> {
    let open = trials.open().await?;
    tracing::info!(%slot, open, "trials are open");
    Ok(())
}
