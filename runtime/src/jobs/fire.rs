//! One slot of one job, for a trigger of one's own.

use std::time::SystemTime;

use super::{
    outcome::RunOutcome,
    registry::{Jobs, ReadyToRun, jobs},
    shutdown::Shutdown,
    slot::Slot,
    state::JobState,
};

/// No job of the registry has this name.
#[derive(Debug, thiserror::Error)]
#[error("no job of this registry is named `{name}`; its jobs are {known}")]
pub struct UnknownJob {
    name: String,
    known: String,
}

impl<A: Send + Sync, L: ReadyToRun> Jobs<A, L> {
    /// Runs the slot of `time` of one job, through the boundary that the runner uses: lease, timeout, panic, log, release. For a
    /// trigger outside of the process, such as a platform's own cron.
    ///
    /// The slot is the minute of `time`, the moment for which the trigger was planned and not that of its arrival. It need not be one
    /// of the job's schedule. A trigger that comes twice runs an exclusive job once.
    ///
    /// # Errors
    /// [`UnknownJob`], with the names there are.
    ///
    /// ```
    /// # use steadfast::{Registry, jobs::NoLeases};
    /// # struct App;
    /// # static JOBS: Registry<App, NoLeases> = Registry::new(&[]);
    /// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
    /// let planned = std::time::SystemTime::now();
    /// match JOBS.with(App).fire("billing.close-expired-trials", planned).await {
    ///     Ok(outcome) => println!("{outcome:?}"),
    ///     Err(unknown) => println!("{unknown}"),
    /// }
    /// # });
    /// ```
    pub async fn fire(&self, name: &str, time: SystemTime) -> Result<RunOutcome, UnknownJob> {
        let Some(entry) = jobs(self.entries).find(|entry| entry.meta.name == name) else {
            let known: Vec<_> = jobs(self.entries).map(|entry| format!("`{}`", entry.meta.name)).collect();
            let known = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
            return Err(UnknownJob { name: name.to_owned(), known });
        };
        let shutdown = Shutdown::new();
        Ok(self.boundary().run(entry, Slot::floor(time), &JobState::default(), shutdown.watch()).await)
    }
}
