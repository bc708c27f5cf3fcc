//! One slot of one job, on demand.

use crate::jobs::{Jobs, ReadyToRun, RunOutcome, Slot, UnknownJob};

/// Runs one slot of one job through the boundary that the runner uses: lease, timeout, panic, log, release.
///
/// The slot need not be one of the job's schedule. An exclusive job's slot can be run once, as in production, and not more than 30 s before
/// its time by the clock of the jobs.
///
/// What waits for a [`VirtualClock`](super::VirtualClock), a `clock.sleep` of the job or the pause before a store that failed is asked
/// again, waits until somebody moves it: take [`Replicas`](super::Replicas) for such a test.
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
    jobs.fire(name, slot.time()).await
}
