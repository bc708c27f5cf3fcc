//! The boundary of one run: claim, timeout, span, catch, log once, release. A run is never retried here; the next slot
//! is the retry (`docs/rules.md#ask-for-what-is-due-as-of-the-slot`).

use std::{
    any::Any,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::Arc,
    time::Duration,
};

use futures_util::future::{Either, select};
use tracing::Instrument as _;

use super::{
    contained::{Contained, contained},
    history::{Recording, RecordsRuns},
    job::{JobError, Meta, Run},
    lease::{self, Claim, Held, LeaseStore, LostCause, RunId},
    outcome::{NotClaimed, RunOutcome},
    registry::JobEntry,
    shutdown::ShutdownWatch,
    slot::Slot,
    state::{Alive, JobState},
    telemetry,
    trigger::Trigger,
};
use crate::{
    clock::JobClock,
    platform::{BoxFuture, Instant, MaybeSend, MaybeSync},
};

/// What every run of an application shares.
pub(crate) struct Boundary<A> {
    pub(crate) app: Arc<A>,
    pub(crate) clock: JobClock,
    pub(crate) store: Option<Arc<dyn LeaseStore>>,
    pub(crate) history: Option<Arc<dyn RecordsRuns>>,
}

impl<A> Clone for Boundary<A> {
    fn clone(&self) -> Self {
        Self {
            app: Arc::clone(&self.app),
            clock: self.clock.clone(),
            store: self.store.clone(),
            history: self.history.clone(),
        }
    }
}

/// What is to be run.
pub(crate) struct Due<'e, A> {
    pub(crate) entry: &'e JobEntry<A>,
    pub(crate) slot: Slot,
    pub(crate) trigger: Trigger,
}

/// By hand: an application need not be `Copy`.
impl<A> Copy for Due<'_, A> {}

impl<A> Clone for Due<'_, A> {
    fn clone(&self) -> Self {
        *self
    }
}

/// How the function ended; a panic brings its payload along for the one log line.
enum Ended {
    Returned(Result<(), JobError>),
    Panicked(Box<dyn Any + Send>),
    TimedOut,
    Cancelled,
    LeaseLost,
}

impl<A: MaybeSend + MaybeSync> Boundary<A> {
    /// Runs one slot of one job.
    ///
    /// `alive` ends with the run, before its last row is written: no slot is decided by the history.
    pub(crate) async fn run(
        &self,
        due: Due<'_, A>,
        state: &JobState,
        alive: Option<Alive>,
        mut shutdown: ShutdownWatch,
    ) -> RunOutcome {
        let Due { entry, slot, trigger } = due;
        let (job, run) = (&entry.meta, RunId::random());
        let claim = match trigger {
            Trigger::Manual => Claim::manual(job.name, job.lease_length(), &run, &self.clock),
            _ => Claim::new(job.name, slot, job.lease_length(), &run, &self.clock),
        };
        // Before the claim: its answer may be read long after the lease began, by a process that was paused.
        let timeout = self.clock.sleep(job.timeout);
        let unrenewed = job.lease.heartbeat.then(|| self.clock.sleep(lease::HEARTBEAT_PATIENCE));
        let mut held = None;
        if let Some(store) = self.store.as_ref().filter(|_| job.exclusive) {
            // In a box, as all that an exclusive run alone needs: many runs may begin at once.
            let claimed = Box::pin(self.claim_unless_cancelled(&**store, job, slot, &claim, state, &shutdown));
            match claimed.await {
                Some(Ok(token)) => {
                    held = Some(Held { job: job.name, token, run: run.clone(), store: Arc::clone(store) });
                }
                Some(Err(cause)) => return RunOutcome::NotClaimed(cause),
                None => {
                    // The claim may have arrived all the same; nobody will run it.
                    Box::pin(self.end_lease(&**store, job, slot, &claim, true)).await;
                    return RunOutcome::NotClaimed(NotClaimed::ShuttingDown);
                }
            }
        }
        let started = self.clock.now();
        let lateness = started.duration_since(slot.time()).unwrap_or_default();
        let span = telemetry::span(job, slot, trigger, &run, lateness);
        let mut recording = Recording::of(self.history.as_deref(), job, (slot, trigger), &run, started);
        let end_of_process = recording.is_on().then(|| shutdown.clone());
        let running = telemetry::Running::begin(job, lateness);
        let stopwatch = Instant::now();
        let timers = (timeout, unrenewed);
        let call = std::pin::pin!(
            self.call(entry, (slot, &claim), held.as_ref(), timers, &mut shutdown).instrument(span.clone())
        );
        let (outcome, panic) = match recording.begun_beside(call).await {
            Ended::Returned(Ok(())) => (RunOutcome::Completed, None),
            Ended::Returned(Err(error)) => (RunOutcome::Failed(error), None),
            Ended::Panicked(payload) => (RunOutcome::Panicked, Some(payload)),
            Ended::TimedOut => (RunOutcome::TimedOut, None),
            Ended::Cancelled => (RunOutcome::Cancelled, None),
            Ended::LeaseLost => (RunOutcome::LeaseLost, None),
        };
        drop(running);
        let (took, now) = (stopwatch.elapsed(), self.clock.now());
        telemetry::ended(job, trigger, &span, &outcome, panic.as_deref(), took, now);
        let told = if recording.is_on() { telemetry::text_of(&outcome, panic.as_deref()) } else { None };
        discard(panic);
        // After a timeout or a panic the work may go on (a blocking task, a remote call): the lease runs out instead.
        if let (Some(held), RunOutcome::Completed | RunOutcome::Failed(_) | RunOutcome::Cancelled) = (&held, &outcome) {
            let cut_off = matches!(outcome, RunOutcome::Cancelled);
            // The first row may have a connection that the release waits for: both go on.
            let mut end = Box::pin(self.end_lease(&*held.store, job, slot, &claim, cut_off));
            recording.begun_beside(std::pin::Pin::new(&mut end)).await;
        }
        drop(alive);
        if let Some(mut cancel) = end_of_process {
            // A history that is slow does not hold up the end of the process.
            let too_late = async move {
                cancel.cancelled().await;
                self.clock.sleep(ANSWER_PATIENCE).await;
            };
            let recorded = Box::pin(recording.ended(&outcome, told, now));
            drop(select(recorded, Box::pin(too_late)).await);
        }
        outcome
    }

    /// `None`: cut off by the end of the grace period. A question that is on its way is waited for a moment longer: what it takes when it
    /// arrives after its run has given up would be nobody's.
    async fn claim_unless_cancelled(
        &self,
        store: &dyn LeaseStore,
        job: &Meta,
        slot: Slot,
        claim: &Claim<'_>,
        state: &JobState,
        shutdown: &ShutdownWatch,
    ) -> Option<Result<i64, NotClaimed>> {
        let claim = std::pin::pin!(self.claim(store, job, slot, claim, state, shutdown));
        let mut cancel = shutdown.clone();
        match select(claim, std::pin::pin!(cancel.cancelled())).await {
            Either::Left((answer, _)) => Some(answer),
            Either::Right(((), claim)) => {
                drop(select(claim, self.clock.sleep(ANSWER_PATIENCE)).await);
                None
            }
        }
    }

    /// The fencing token.
    async fn claim(
        &self,
        store: &dyn LeaseStore,
        job: &Meta,
        slot: Slot,
        claim: &Claim<'_>,
        state: &JobState,
        shutdown: &ShutdownWatch,
    ) -> Result<i64, NotClaimed> {
        let claimed = match lease::claim(store, &self.clock, claim, shutdown).await {
            Ok(Some(claimed)) => claimed,
            Ok(None) => return Err(NotClaimed::ShuttingDown),
            Err(error) => {
                telemetry::claim_failed(job, slot, claim.is_manual(), &error);
                // It may have arrived all the same, and nobody will run it: once, since a store that is down is not there for this either.
                let _ended = if gives_back(job, claim) {
                    store.hand_back(job.name, slot, claim.run()).await
                } else {
                    store.release(job.name, claim.run()).await
                };
                return Err(NotClaimed::StoreFailed);
            }
        };
        telemetry::claimed(job, claimed.lost, claimed.skew_millis);
        // What is told besides is best effort: the claim is answered, and what the row says is for the log alone.
        state.saw_pause(claimed.lost == Some(LostCause::Paused));
        match claimed.lost {
            None => return Ok(claimed.token),
            Some(LostCause::Skew) if state.first_skew() => telemetry::skewed(job, claimed.skew_millis),
            Some(LostCause::Early) => telemetry::early(job, slot),
            Some(LostCause::Held) => {
                if let Some(by) = store.row(job.name).await.ok().flatten().and_then(|row| row.last_slot)
                    && state.blocks_several(by)
                {
                    telemetry::blocked(job, by);
                }
            }
            Some(LostCause::Paused) if state.first_pause() => {
                if let Some(paused) = store.row(job.name).await.ok().flatten().and_then(|row| row.paused) {
                    telemetry::paused(job, &paused);
                }
            }
            Some(_) => {}
        }
        claimed.lost.map_or(Ok(claimed.token), |cause| Err(NotClaimed::Lost(cause)))
    }

    /// `timeout` and, with a heartbeat, `unrenewed` are waits that began before the claim.
    async fn call(
        &self,
        entry: &JobEntry<A>,
        (slot, claim): (Slot, &Claim<'_>),
        held: Option<&Held>,
        (timeout, unrenewed): (BoxFuture<'static, ()>, Option<BoxFuture<'static, ()>>),
        shutdown: &mut ShutdownWatch,
    ) -> Ended {
        let stop = std::pin::pin!(shutdown.cancelled());
        let lost: BoxFuture<'_, ()> = match held.zip(unrenewed) {
            Some((held, lost)) => Box::pin(lease::renewed_until_lost(held, claim, &self.clock, lost)),
            // Of no size: nothing is allocated.
            None => Box::pin(std::future::pending()),
        };
        // The timeout is asked before the heartbeat: no renewal keeps a hung run alive.
        let end = async {
            match select(timeout, select(stop, lost)).await {
                Either::Left(_) => Ended::TimedOut,
                Either::Right((Either::Left(_), _)) => Ended::Cancelled,
                Either::Right((Either::Right(_), _)) => Ended::LeaseLost,
            }
        };
        // A claim may have taken long.
        let fresh = held.is_none();
        match contained(fresh, || (entry.run)(Run::new(slot, &self.clock, held), &self.app), end).await {
            Contained::Returned(result) => Ended::Returned(result),
            Contained::Panicked(payload) => Ended::Panicked(payload),
            Contained::CutOff(ended) => ended,
        }
    }

    /// Releases the lease; a run that was cut off gives its slot back, where the job says so.
    async fn end_lease(&self, store: &dyn LeaseStore, job: &Meta, slot: Slot, claim: &Claim<'_>, cut_off: bool) {
        let ended = if cut_off && gives_back(job, claim) {
            lease::hand_back(store, &self.clock, job.name, slot, claim.run()).await
        } else {
            lease::release(store, &self.clock, job.name, claim.run()).await
        };
        if let Err(error) = ended {
            telemetry::release_failed(job, slot, &error);
        }
    }
}

/// Does a run that did not come to its end give its slot back? One by hand has none.
fn gives_back(job: &Meta, claim: &Claim<'_>) -> bool {
    job.lease.hand_back && !claim.is_manual()
}

/// Drops what came from a job: its destructor may panic, and so may that of the panic.
pub(crate) fn discard<T>(value: T) {
    if let Err(payload) = catch_unwind(AssertUnwindSafe(|| drop(value))) {
        std::mem::forget(payload);
    }
}

/// How long an answer is waited for once everything is cancelled: of a claim, so that what it took can be released, or of the history.
const ANSWER_PATIENCE: Duration = Duration::from_secs(2);

#[cfg(test)]
#[path = "run_tests.rs"]
mod tests;
