//! What a library of slices exports: each lint of the workspace looks at it, `missing_docs` among them.

use sqlx::SqlitePool;
use steadfast::{Provide, Slot, atomic_unit, job, provider_call, registry, sqlite::Tx};
use tokio::task::yield_now;

use crate::shop::{BillingError, Mailer};

/// Closes a trial.
///
/// # Errors
/// When the database refuses.
#[atomic_unit(retry = steadfast::policy::contention)]
pub async fn close_trial(tx: &mut Tx<'_>, trial: i64) -> Result<(), BillingError> {
    sqlx::query("update trials set closed = 1 where id = $1").bind(trial).execute(&mut *tx).await?;
    Ok(())
}

/// Reminds somebody.
///
/// # Errors
/// When the provider refuses.
#[provider_call(retry = never)]
pub async fn remind(mailer: &Mailer, trial: i64) -> Result<(), BillingError> {
    yield_now().await;
    let _ = mailer;
    if trial > 0 { Ok(()) } else { Err(BillingError::Unknown(trial)) }
}

/// Closes the first trial.
///
/// # Errors
/// When the database or the provider refuses.
#[job(cron = "0 3 * * *", timeout = "5m", name = "library.nightly")]
pub async fn nightly(slot: Slot, db: &SqlitePool, mailer: &Mailer) -> Result<Slot, BillingError> {
    close_trial(db, 1).await?;
    remind(mailer, 1).await?;
    Ok(slot)
}

/// An application.
#[derive(Clone, Debug, Provide)]
pub struct App {
    /// Where the trials are.
    pub db: SqlitePool,
    /// Who reminds.
    pub mailer: Mailer,
}

registry! {
    /// Its jobs.
    pub static JOBS for App = [nightly];
}
