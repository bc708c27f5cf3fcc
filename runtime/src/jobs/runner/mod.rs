//! The loop: sleep to the next slot, look at the wall clock again, start what is due, one task a run.

mod polling;
mod run_until;
mod schedule;
mod signal;
mod standby;
mod telemetry;

use std::{
    sync::Arc,
    time::{Duration, SystemTime},
};

use futures_util::future::{Either, select};
use tokio::task::JoinSet;

pub use self::{
    run_until::{RunUntil, StartError},
    signal::shutdown_signal,
};

use self::{
    polling::polling,
    schedule::{Next, Seen},
    standby::{Fate, fate, may_come_back, stand_by},
};
use super::{
    registry::{Entry, JobEntry, PollEntry, jobs, polls},
    run::{Boundary, Due, discard},
    shutdown::{Shutdown, ShutdownWatch, Stage},
    slot::Slot,
    state::{Alive, JobState},
    trigger::Trigger,
};

/// The longest sleep: a wall clock that was set, and a machine that slept, are noticed within it.
const LONGEST_SLEEP: Duration = Duration::from_secs(30);
/// The shortest: a timer that fires early must not make the loop spin.
const SHORTEST_SLEEP: Duration = Duration::from_millis(1);

/// How long the releases may take once everything is cancelled; grace, the wait for an answer, this and the next stay below Kubernetes' 30 s.
const RELEASE_PATIENCE: Duration = Duration::from_secs(4);
/// How long aborted runs are waited for. One that never yields cannot be aborted.
const ABORT_PATIENCE: Duration = Duration::from_millis(500);

/// After so many starts the others have a turn. A turn may wake a thread up, which costs as much as a few starts.
const SIDE_BY_SIDE: usize = 128;

pub(crate) struct Runner<A: 'static> {
    boundary: Boundary<A>,
    jobs: Vec<Scheduled<A>>,
    /// The earliest start of all jobs: until then a look at the clock is all there is to do.
    next: Option<SystemTime>,
    polls: Vec<&'static PollEntry<A>>,
    seen: Seen,
    tasks: JoinSet<()>,
    shutdown: Shutdown,
}

struct Scheduled<A: 'static> {
    entry: &'static JobEntry<A>,
    next: Next,
    /// How far behind its slots it starts.
    offset: Duration,
    state: Arc<JobState>,
}

impl<A> Scheduled<A> {
    /// When it starts next.
    fn start(&self) -> Option<SystemTime> {
        self.next.slot().map(|slot| slot.time() + self.offset)
    }
}

impl<A: Send + Sync + 'static> Runner<A> {
    /// A runner whose jobs begin with their first slot after this minute.
    pub(crate) fn new(entries: &'static [Entry<A>], boundary: Boundary<A>) -> Self {
        let now = boundary.clock.now();
        let start = Slot::floor(now);
        telemetry::describe();
        let schedule = |entry: &'static JobEntry<A>| {
            let next = Next::after(&entry.meta.cron, begun(now, entry.meta.offset()));
            telemetry::registered(&entry.meta, next.slot());
            if let Some(next) = next.slot() {
                telemetry::next_slot(&entry.meta, next);
            }
            Scheduled { entry, next, offset: entry.meta.offset(), state: Arc::default() }
        };
        let jobs: Vec<_> = jobs(entries).map(schedule).collect();
        let next = jobs.iter().filter_map(Scheduled::start).min();
        let polls = polls(entries).inspect(|entry| telemetry::poll_registered(&entry.meta)).collect();
        Self { boundary, jobs, next, polls, seen: Seen::at(start), tasks: JoinSet::new(), shutdown: Shutdown::new() }
    }

    /// Runs until `end`, then drains for at most `grace`.
    ///
    /// Dropped in the middle, it aborts its runs: an interruption goes through to them.
    pub(crate) async fn run(mut self, grace: Duration, end: impl Future<Output = ()>) {
        let mut end = std::pin::pin!(end);
        self.begin_polls();
        self.catch_up();
        loop {
            let now = self.boundary.clock.now();
            self.start_due(now).await;
            while let Some(ended) = self.tasks.try_join_next() {
                told(ended);
            }
            let sleep = self.boundary.clock.sleep(self.until_next(now));
            match select(end, sleep).await {
                Either::Left(_) => break,
                Either::Right(((), again)) => end = again,
            }
        }
        self.drain(grace).await;
    }

    /// One loop a poll, until the shutdown.
    fn begin_polls(&mut self) {
        for entry in &self.polls {
            let Boundary { app, clock, .. } = self.boundary.clone();
            self.tasks.spawn(polling(app, clock, entry, self.shutdown.watch()));
        }
    }

    /// Looks at the latest slot of jobs that say what becomes of it: it was given back, or may be; or it was missed, and is run if it is not
    /// too late for it. Whether it was missed says the row; a job that has none never ran, and a last slot that its schedule has not is
    /// that of another schedule, so neither has missed anything.
    fn catch_up(&mut self) {
        let now = self.boundary.clock.now();
        let Some(store) = self.boundary.store.clone() else { return };
        for job in &self.jobs {
            let meta = &job.entry.meta;
            if meta.catch_up.is_none() && !meta.lease.hand_back {
                continue;
            }
            let Some(slot) = meta.cron.latest(begun(now, job.offset)) else { continue };
            let due = Due { entry: job.entry, slot, trigger: Trigger::CatchUp };
            let (boundary, state, store) = (self.boundary.clone(), Arc::clone(&job.state), Arc::clone(&store));
            let shutdown = self.shutdown.watch();
            // A task of its own: a store that is slow keeps neither the other jobs nor the shutdown waiting.
            self.tasks.spawn(async move {
                let row = store.row(meta.name).await.unwrap_or_else(|error| {
                    telemetry::catch_up_failed(meta, &error);
                    None
                });
                let late = now.duration_since(slot.time()).unwrap_or_default();
                let last =
                    row.as_ref().and_then(|row| row.last_slot).filter(|last| meta.cron.latest(*last) == Some(*last));
                if meta.lease.hand_back && fate(row.as_ref(), slot, now) != Fate::Over {
                    stand_by(boundary, due, state, shutdown).await;
                } else if last.is_some_and(|last| last < slot) && meta.catch_up.is_some_and(|limit| late <= limit) {
                    telemetry::catching_up(meta, slot);
                    spawnable(boundary, due, state, shutdown).await;
                }
            });
        }
    }

    async fn start_due(&mut self, now: SystemTime) {
        let minute = Slot::floor(now);
        let restart = self.seen.was_a_lie(minute);
        if !restart && self.next.is_none_or(|next| now < next) {
            return;
        }
        let mut started = 0;
        for job in &mut self.jobs {
            let meta = &job.entry.meta;
            if restart {
                job.next = Next::after(&meta.cron, begun(now, job.offset));
            }
            // As if it were earlier by the job's offset: its slot stays what it is.
            let due = job.next.take_due(&meta.cron, begun(now, job.offset));
            if let (true, Some(next)) = (restart || due.is_some(), job.next.slot()) {
                telemetry::next_slot(meta, next);
            }
            let Some(slot) = due else { continue };
            if job.state.is_running() {
                telemetry::overlap(meta);
                continue;
            }
            let due = Due { entry: job.entry, slot, trigger: Trigger::Timer };
            let (boundary, state) = (self.boundary.clone(), Arc::clone(&job.state));
            self.tasks.spawn(spawnable(boundary, due, state, self.shutdown.watch()));
            started += 1;
            if started % SIDE_BY_SIDE == 0 {
                // The first of many need not wait until the last is on its way, and leave their memory to the others.
                tokio::task::yield_now().await;
            }
        }
        self.next = self.jobs.iter().filter_map(Scheduled::start).min();
    }

    fn until_next(&self, now: SystemTime) -> Duration {
        let wait = self.next.map_or(LONGEST_SLEEP, |next| next.duration_since(now).unwrap_or_default());
        wait.clamp(SHORTEST_SLEEP, LONGEST_SLEEP)
    }

    async fn drain(mut self, grace: Duration) {
        self.shutdown.advance(Stage::Draining);
        if self.joined_within(grace).await {
            return;
        }
        self.shutdown.advance(Stage::Cancelling);
        if !self.joined_within(RELEASE_PATIENCE).await {
            tracing::warn!(
                runs = self.tasks.len(),
                "runs that did not end in time are aborted; a lease that is not released runs out"
            );
            self.tasks.abort_all();
            self.joined_within(ABORT_PATIENCE).await;
        }
    }

    async fn joined_within(&mut self, limit: Duration) -> bool {
        let limit = self.boundary.clock.sleep(limit);
        let all = async {
            while let Some(ended) = self.tasks.join_next().await {
                told(ended);
            }
        };
        matches!(select(std::pin::pin!(all), limit).await, Either::Left(_))
    }
}

/// The latest minute whose slot starts by now, behind it by `offset`.
fn begun(now: SystemTime, offset: Duration) -> Slot {
    Slot::floor(now.checked_sub(offset).unwrap_or(now))
}

fn told(ended: Result<(), tokio::task::JoinError>) {
    if let Err(error) = ended {
        telemetry::task_failed(&error);
        discard(error);
    }
}

/// The future of one run, for the runner's tasks. A slot that was lost to a run which may give it back is waited for.
fn spawnable<A: Send + Sync + 'static>(
    boundary: Boundary<A>,
    due: Due<'static, A>,
    state: Arc<JobState>,
    shutdown: ShutdownWatch,
) -> impl Future<Output = ()> + Send + use<A> {
    // Taken before the task is first polled: the next slot must see it.
    let alive = Alive::begin(&state);
    async move {
        // In a box from its first step on: many tasks are made in one minute, and to make a large one takes longer than a run that does
        // little.
        let outcome = Box::pin(boundary.run(due, &state, Some(alive), shutdown.clone())).await;
        let may_come_back = may_come_back(&due.entry.meta, &outcome);
        discard(outcome);
        if may_come_back {
            Box::pin(stand_by(boundary, due, state, shutdown)).await;
        }
    }
}

#[cfg(test)]
mod tests;
