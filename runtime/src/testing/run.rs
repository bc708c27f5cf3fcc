//! One slot of one job, on demand.

use std::sync::atomic::AtomicBool;

use crate::jobs::{Jobs, ReadyToRun, RunOutcome, Slot, shutdown::Shutdown};

/// No job of the registry has this name.
#[derive(Debug, thiserror::Error)]
#[error("no job of this registry is named `{name}`; its jobs are {known}")]
pub struct UnknownJob {
    name: String,
    known: String,
}

/// Runs one slot of one job through the boundary that the runner uses: lease, timeout, panic, log, release.
///
/// The slot need not be one of the job's schedule. An exclusive job's slot can be run once, as in production.
///
/// # Errors
/// [`UnknownJob`], with the names there are.
///
/// ```
/// # use steadfast::{Registry, Slot, jobs::NoLeases};
/// # struct App;
/// # static JOBS: Registry<App, NoLeases> = Registry::new(&[]);
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// let jobs = JOBS.with(App);
/// let slot = Slot::utc(2026, 1, 2, 3, 0).unwrap();
/// match steadfast::testing::run(&jobs, "billing.close-expired-trials", slot).await {
///     Ok(outcome) => assert!(outcome.is_completed(), "{outcome:?}"),
///     Err(unknown) => println!("{unknown}"),
/// }
/// # });
/// ```
pub async fn run<A, L>(jobs: &Jobs<A, L>, name: &str, slot: Slot) -> Result<RunOutcome, UnknownJob>
where
    A: Send + Sync,
    L: ReadyToRun,
{
    let Some(entry) = jobs.entries.iter().find(|entry| entry.meta.name == name) else {
        let known: Vec<_> = jobs.entries.iter().map(|entry| format!("`{}`", entry.meta.name)).collect();
        let known = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
        return Err(UnknownJob { name: name.to_owned(), known });
    };
    let shutdown = Shutdown::new();
    Ok(jobs.boundary().run(entry, slot, &AtomicBool::new(false), shutdown.watch()).await)
}
