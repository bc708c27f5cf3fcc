//! Pausing a job by its row, with a reason.

use super::{
    application::Jobs,
    fire::UnknownJob,
    lease::{LeaseError, LeaseRow, LeaseStore},
    ready::HasLeases,
};
use crate::platform::{BoxFuture, MaybeSend, MaybeSync};

/// A line of a log, and of a console.
const LONGEST_REASON: usize = 500;

/// Why a job could not be paused or resumed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PauseError {
    /// No job of the registry has this name.
    #[error(transparent)]
    UnknownJob(#[from] UnknownJob),
    /// The job is not exclusive, so it has no row.
    #[error("`{0}` is not exclusive, so it has no row, which a pause is in; add `exclusive` to its `#[job(…)]`")]
    NotExclusive(&'static str),
    /// The reason cannot be kept on every database.
    #[error(
        "a reason has at most {LONGEST_REASON} bytes and no control characters; say it in a line, for example \"the provider is down\""
    )]
    Reason,
    /// The lease store could not say.
    #[error(transparent)]
    Store(#[from] LeaseError),
}

impl<A: MaybeSend + MaybeSync, L> Jobs<A, L> {
    /// Pauses an exclusive job, on all replicas: from the answer on, none of its slots is claimed, until [`resume`](Self::resume). A run
    /// that is going on goes on, and [`run_now`](Self::run_now) runs. The reason is in the job's row, and in the line that a replica logs
    /// when the first slot does not run. A job that is paused again has the new reason and the new time.
    ///
    /// The same by hand, of a job that has run before: `UPDATE jobs_leases SET paused_at = 1, pause_reason = 'why' WHERE name = 'the.job'`.
    ///
    /// # Errors
    /// [`PauseError`]; after [`PauseError::Store`] the job may or may not be paused, and to ask again is harmless.
    ///
    /// ```
    /// # use std::convert::Infallible;
    /// # use steadfast::{Provide, Slot, job, registry, testing::MemoryLeases, clock::SystemClock};
    /// #[job(cron = "0 3 * * *", exclusive, timeout = "5m", name = "mail.weekly-digest")]
    /// async fn weekly_digest(_slot: Slot) -> Result<(), Infallible> { Ok(()) }
    ///
    /// # #[derive(Provide)]
    /// # struct App {}
    /// registry! { static JOBS for App = [weekly_digest]; }
    ///
    /// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
    /// let jobs = JOBS.with(App {}).leases(MemoryLeases::new(SystemClock));
    /// jobs.pause("mail.weekly-digest", "the provider is down").await?;
    /// let paused = jobs.row("mail.weekly-digest").await?.and_then(|row| row.paused).unwrap();
    /// assert_eq!(paused.reason, "the provider is down");
    /// jobs.resume("mail.weekly-digest").await?;
    /// # Ok::<(), steadfast::jobs::PauseError>(()) }).unwrap();
    /// ```
    #[must_use = "nothing happens until it is awaited"]
    pub fn pause<'a>(&'a self, name: &'a str, reason: &'a str) -> BoxFuture<'a, Result<(), PauseError>>
    where
        L: HasLeases,
    {
        Box::pin(async move {
            if reason.len() > LONGEST_REASON || reason.chars().any(char::is_control) {
                return Err(PauseError::Reason);
            }
            let (name, store) = self.row_of(name)?;
            Ok(store.pause(name, reason).await?)
        })
    }

    /// Ends a pause, if there is one. The next slot runs; what was due meanwhile does not, unless the job has `catch_up` and a replica
    /// starts in time for it.
    ///
    /// # Errors
    /// [`PauseError`]; after [`PauseError::Store`] the job may or may not be paused, and to ask again is harmless.
    #[must_use = "nothing happens until it is awaited"]
    pub fn resume<'a>(&'a self, name: &'a str) -> BoxFuture<'a, Result<(), PauseError>>
    where
        L: HasLeases,
    {
        Box::pin(async move {
            let (name, store) = self.row_of(name)?;
            Ok(store.resume(name).await?)
        })
    }

    /// What the row of an exclusive job says: its last slot, its holder, its pause. `None` before there is one.
    ///
    /// # Errors
    /// [`PauseError`].
    #[must_use = "nothing happens until it is awaited"]
    pub fn row<'a>(&'a self, name: &'a str) -> BoxFuture<'a, Result<Option<LeaseRow>, PauseError>>
    where
        L: HasLeases,
    {
        Box::pin(async move {
            let (name, store) = self.row_of(name)?;
            Ok(store.row(name).await?)
        })
    }

    fn row_of(&self, name: &str) -> Result<(&'static str, &dyn LeaseStore), PauseError> {
        let meta = self.entry(name)?.meta;
        match &self.store {
            Some(store) if meta.exclusive => Ok((meta.name, &**store)),
            _ => Err(PauseError::NotExclusive(meta.name)),
        }
    }
}
