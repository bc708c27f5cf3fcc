//! The boundary of one run: claim, timeout, span, catch, log once, release. A run is never retried here; the next slot
//! is the retry (`docs/rules.md#ask-for-what-is-due-as-of-the-slot`).

use std::{
    any::Any,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use futures_core::future::BoxFuture;
use futures_util::{
    FutureExt as _,
    future::{Either, select},
};
use tracing::Instrument as _;

use super::{
    job::{JobError, Meta, Run},
    lease::{self, Held, LEASE_MARGIN, LeaseStore, LostCause, RunId},
    outcome::{NotClaimed, RunOutcome},
    registry::Entry,
    shutdown::ShutdownWatch,
    slot::Slot,
    telemetry,
};
use crate::clock::JobClock;

/// What every run of an application shares.
pub(crate) struct Boundary<A> {
    pub(crate) app: Arc<A>,
    pub(crate) clock: JobClock,
    pub(crate) store: Option<Arc<dyn LeaseStore>>,
}

impl<A> Clone for Boundary<A> {
    fn clone(&self) -> Self {
        Self { app: Arc::clone(&self.app), clock: self.clock.clone(), store: self.store.clone() }
    }
}

/// How the function ended; a panic brings its payload along for the one log line.
enum Ended {
    Returned(Result<(), JobError>),
    Panicked(Box<dyn Any + Send>),
    TimedOut,
    Cancelled,
}

impl<A: Send + Sync> Boundary<A> {
    /// Runs one slot of one job. `skew_told`: whether the job's skew warning was given.
    pub(crate) async fn run(
        &self,
        entry: &Entry<A>,
        slot: Slot,
        skew_told: &AtomicBool,
        mut shutdown: ShutdownWatch,
    ) -> RunOutcome {
        let (job, run) = (&entry.meta, RunId::random());
        let store = self.store.as_deref().filter(|_| job.exclusive);
        let held = self.store.as_ref().filter(|_| job.exclusive);
        let held = held.map(|store| Held { job: job.name, run: run.clone(), store: Arc::clone(store) });
        if let Some(store) = store {
            match self.claim_unless_cancelled(store, job, slot, &run, skew_told, &shutdown).await {
                Some(None) => {}
                Some(Some(cause)) => return RunOutcome::NotClaimed(cause),
                None => {
                    // The claim may have arrived all the same; nobody will run it.
                    self.release(store, job, slot, &run).await;
                    return RunOutcome::NotClaimed(NotClaimed::ShuttingDown);
                }
            }
        }
        let started = self.clock.now();
        let lateness = started.duration_since(slot.time()).unwrap_or_default();
        let span = telemetry::span(job, slot, &run, lateness);
        let running = telemetry::Running::begin(job, lateness);
        let stopwatch = std::time::Instant::now();
        let (outcome, panic) = match self.call(entry, slot, held.as_ref(), &mut shutdown).instrument(span.clone()).await
        {
            Ended::Returned(Ok(())) => (RunOutcome::Completed, None),
            Ended::Returned(Err(error)) => (RunOutcome::Failed(error), None),
            Ended::Panicked(payload) => (RunOutcome::Panicked, Some(payload)),
            Ended::TimedOut => (RunOutcome::TimedOut, None),
            Ended::Cancelled => (RunOutcome::Cancelled, None),
        };
        drop(running);
        telemetry::ended(job, &span, &outcome, panic.as_deref(), stopwatch.elapsed(), self.clock.now());
        discard(panic);
        // After a timeout or a panic the work may go on (a blocking task, a remote call): the lease runs out instead.
        if let (Some(store), RunOutcome::Completed | RunOutcome::Failed(_) | RunOutcome::Cancelled) = (store, &outcome)
        {
            self.release(store, job, slot, &run).await;
        }
        outcome
    }

    /// `None`: cut off by the end of the grace period. The claim, and with it its connection, is dropped by then.
    async fn claim_unless_cancelled(
        &self,
        store: &dyn LeaseStore,
        job: &Meta,
        slot: Slot,
        run: &RunId,
        skew_told: &AtomicBool,
        shutdown: &ShutdownWatch,
    ) -> Option<Option<NotClaimed>> {
        let claim = std::pin::pin!(self.claim(store, job, slot, run, skew_told, shutdown));
        let mut cancel = shutdown.clone();
        match select(claim, std::pin::pin!(cancel.cancelled())).await {
            Either::Left((answer, _)) => Some(answer),
            Either::Right(((), _)) => None,
        }
    }

    /// `None`: won.
    async fn claim(
        &self,
        store: &dyn LeaseStore,
        job: &Meta,
        slot: Slot,
        run: &RunId,
        skew_told: &AtomicBool,
        shutdown: &ShutdownWatch,
    ) -> Option<NotClaimed> {
        let lease = job.timeout.saturating_add(LEASE_MARGIN);
        match lease::claim(store, &self.clock, (job.name, slot, lease), run, shutdown).await {
            Ok(Some(claimed)) => {
                telemetry::claimed(job, claimed.lost, claimed.skew_millis);
                if claimed.lost == Some(LostCause::Skew) && !skew_told.swap(true, Ordering::Relaxed) {
                    telemetry::skewed(job, claimed.skew_millis);
                }
                claimed.lost.map(NotClaimed::Lost)
            }
            Ok(None) => Some(NotClaimed::ShuttingDown),
            Err(error) => {
                telemetry::claim_failed(job, slot, &error);
                Some(NotClaimed::StoreFailed)
            }
        }
    }

    async fn call(&self, entry: &Entry<A>, slot: Slot, held: Option<&Held>, shutdown: &mut ShutdownWatch) -> Ended {
        let timeout = self.clock.sleep(entry.meta.timeout);
        let work = match catch_unwind(AssertUnwindSafe(|| (entry.run)(Run::new(slot, &self.clock, held), &self.app))) {
            Ok(work) => AssertUnwindSafe(work).catch_unwind(),
            Err(payload) => return Ended::Panicked(payload),
        };
        let stop = std::pin::pin!(shutdown.cancelled());
        let (ended, work) = match select(work, select(timeout, stop)).await {
            Either::Left((Ok(result), _)) => return Ended::Returned(result),
            Either::Left((Err(payload), _)) => return Ended::Panicked(payload),
            Either::Right((Either::Left(_), work)) => (Ended::TimedOut, work),
            Either::Right((Either::Right(_), work)) => (Ended::Cancelled, work),
        };
        // What the function holds is dropped here, and a destructor may panic.
        match catch_unwind(AssertUnwindSafe(|| drop(work))) {
            Ok(()) => ended,
            Err(payload) => Ended::Panicked(payload),
        }
    }

    async fn release(&self, store: &dyn LeaseStore, job: &Meta, slot: Slot, run: &RunId) {
        if let Err(error) = lease::release(store, &self.clock, job.name, run).await {
            telemetry::release_failed(job, slot, &error);
        }
    }
}

/// Drops what came from a job: its destructor may panic, and so may that of the panic.
pub(crate) fn discard<T>(value: T) {
    if let Err(payload) = catch_unwind(AssertUnwindSafe(|| drop(value))) {
        std::mem::forget(payload);
    }
}

/// How long the releases may take once everything is cancelled; grace, this and the next stay below Kubernetes' 30 s.
pub(crate) const RELEASE_PATIENCE: Duration = Duration::from_secs(4);
/// How long aborted runs are waited for. One that never yields cannot be aborted.
pub(crate) const ABORT_PATIENCE: Duration = Duration::from_millis(500);

/// The future of one run, for the runner's tasks.
pub(crate) fn spawnable<A: Send + Sync + 'static>(
    boundary: Boundary<A>,
    entry: &'static Entry<A>,
    slot: Slot,
    state: Arc<JobState>,
    shutdown: ShutdownWatch,
) -> BoxFuture<'static, ()> {
    // Taken before the task is first polled: the next slot must see it.
    let alive = Alive::begin(&state);
    Box::pin(async move {
        discard(boundary.run(entry, slot, &state.skew_told, shutdown).await);
        drop(alive);
    })
}

/// What the runner knows of a job's runs.
#[derive(Debug, Default)]
pub(crate) struct JobState {
    alive: AtomicBool,
    skew_told: AtomicBool,
}

impl JobState {
    pub(crate) fn is_running(&self) -> bool {
        self.alive.load(Ordering::Acquire)
    }
}

/// Set while a run is alive, whatever ends it.
struct Alive(Arc<JobState>);

impl Alive {
    fn begin(state: &Arc<JobState>) -> Self {
        state.alive.store(true, Ordering::Release);
        Self(Arc::clone(state))
    }
}

impl Drop for Alive {
    fn drop(&mut self) {
        self.0.alive.store(false, Ordering::Release);
    }
}
