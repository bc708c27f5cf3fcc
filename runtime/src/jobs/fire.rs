//! One run of one job, for a trigger of one's own or by hand.

use std::time::SystemTime;

use super::{
    application::Jobs,
    outcome::RunOutcome,
    ready::ReadyToRun,
    registry::{JobEntry, jobs, polls},
    run::Due,
    shutdown::Shutdown,
    slot::Slot,
    state::JobState,
    trigger::Trigger,
};
use crate::platform::{BoxFuture, MaybeSend, MaybeSync};

/// No job of the registry has this name.
#[derive(Debug, thiserror::Error)]
#[error("{why}; its jobs are {known}")]
pub struct UnknownJob {
    why: String,
    known: String,
}

impl<A: MaybeSend + MaybeSync, L> Jobs<A, L> {
    pub(crate) fn entry(&self, name: &str) -> Result<&'static JobEntry<A>, UnknownJob> {
        jobs(self.entries).find(|entry| entry.meta.name == name).ok_or_else(|| {
            let known = listed(jobs(self.entries).map(|entry| entry.meta.name));
            let why = if polls(self.entries).any(|entry| entry.meta.name == name) {
                format!("`{name}` is a poll of this registry: it has no slots, so it is neither run by name nor paused")
            } else {
                format!("no job of this registry is named `{name}`")
            };
            UnknownJob { why, known }
        })
    }
}

impl<A: MaybeSend + MaybeSync, L> Jobs<A, L> {
    /// Runs the slot of `time` of one job, through the boundary that the runner uses: lease, timeout, panic, log, release. For a
    /// trigger outside of the process, such as a platform's own cron.
    ///
    /// The slot is the minute of `time`, the moment for which the trigger was planned and not that of its arrival. It need not be one
    /// of the job's schedule. A trigger that comes twice runs an exclusive job once, and one that comes more than 30 s too early runs an
    /// exclusive job not at all ([`LostCause::Early`](super::LostCause::Early)).
    ///
    /// Dropped in the middle, the run is interrupted and its lease runs out: from a request that may be given up, `tokio::spawn` it. The
    /// drain of a [`run_until`](Self::run_until) in the same process does not wait for it.
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
    // The future is of a type that does not depend on the bound: a missing lease store is one compile error and not three.
    #[must_use = "nothing happens until it is awaited"]
    pub fn fire<'a>(&'a self, name: &'a str, time: SystemTime) -> BoxFuture<'a, Result<RunOutcome, UnknownJob>>
    where
        L: ReadyToRun,
    {
        Box::pin(self.run_one(name, Slot::floor(time), Trigger::External))
    }

    /// Runs one job now, by hand, through the same boundary. An exclusive job runs under its lease, so not beside another run of it, but
    /// takes no slot: the last one stays as it is, and a pause is not in the way. A slot that is due while it holds the lease is lost to it,
    /// as to any run. The function is called with the minute of now as its slot, so keys by slot (`slot.key(…)`) are those of a scheduled
    /// run of that minute. A unit with `fence = lease` commits while the run holds the lease, as any.
    ///
    /// Dropped in the middle, the run is interrupted and its lease runs out: from a request that may be given up, `tokio::spawn` it. The
    /// drain of a [`run_until`](Self::run_until) in the same process does not wait for it.
    ///
    /// # Errors
    /// [`UnknownJob`], with the names there are.
    ///
    /// ```
    /// # use steadfast::{Registry, RunOutcome, jobs::{LostCause, NoLeases, NotClaimed}};
    /// # struct App;
    /// # static JOBS: Registry<App, NoLeases> = Registry::new(&[]);
    /// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
    /// match JOBS.with(App).run_now("billing.close-expired-trials").await {
    ///     Ok(RunOutcome::NotClaimed(NotClaimed::Lost(LostCause::Held))) => println!("it is running already"),
    ///     Ok(outcome) => println!("{outcome:?}"),
    ///     Err(unknown) => println!("{unknown}"),
    /// }
    /// # });
    /// ```
    #[must_use = "nothing happens until it is awaited"]
    pub fn run_now<'a>(&'a self, name: &'a str) -> BoxFuture<'a, Result<RunOutcome, UnknownJob>>
    where
        L: ReadyToRun,
    {
        Box::pin(async { self.run_one(name, Slot::floor(self.clock.now()), Trigger::Manual).await })
    }

    async fn run_one(&self, name: &str, slot: Slot, trigger: Trigger) -> Result<RunOutcome, UnknownJob> {
        Ok(self.run_alone(Due { entry: self.entry(name)?, slot, trigger }).await)
    }

    /// A run outside of the loop: nothing is remembered of the ones before, and no shutdown cuts it off.
    pub(crate) async fn run_alone(&self, due: Due<'_, A>) -> RunOutcome {
        let shutdown = Shutdown::new();
        self.boundary().run(due, &JobState::default(), None, shutdown.watch()).await
    }
}

/// For an error that says what there is.
pub(crate) fn listed<'n>(names: impl IntoIterator<Item = &'n str>) -> String {
    let names: Vec<_> = names.into_iter().map(|name| format!("`{name}`")).collect();
    if names.is_empty() { "none".to_owned() } else { names.join(", ") }
}
