//! The loop of one poll. The boundary of a tick is that of a run, without a lease: timeout, span, catch, log once; and what follows a
//! failure is a longer wait, not a retry (`docs/rules.md#a-failing-poll-backs-off`).

use std::{any::Any, pin::pin, sync::Arc, time::Duration};

use futures_util::future::{Either, select};
use tracing::Instrument as _;

use super::telemetry;
use crate::jobs::{
    contained::{Contained, contained},
    job::JobError,
    poll::{PollMeta, Tick},
    registry::PollEntry,
    run::discard,
    shutdown::ShutdownWatch,
};
use crate::{
    clock::JobClock,
    retry::{Jitter, exponential, jittered},
};

/// The longest wait between two ticks, however many have failed.
const LONGEST_WAIT: Duration = Duration::from_mins(1);

/// How a tick ended.
pub(crate) enum Ticked {
    Ended(Tick),
    Failed(JobError),
    Panicked(Box<dyn Any + Send>),
    TimedOut,
    /// Dropped because the process shuts down and the grace period was over.
    Cancelled,
}

impl Ticked {
    /// The label of metrics and of the span's `steadfast.poll.outcome`.
    pub(crate) const fn as_str(&self) -> &'static str {
        match self {
            Self::Ended(Tick::More) => "more",
            Self::Ended(Tick::Idle) => "idle",
            Self::Failed(_) => "failed",
            Self::Panicked(_) => "panicked",
            Self::TimedOut => "timed_out",
            Self::Cancelled => "cancelled",
        }
    }
}

/// Ticks until the shutdown begins. A tick that runs by then may go on until the grace period is over.
pub(crate) async fn polling<A: Send + Sync>(
    app: Arc<A>,
    clock: JobClock,
    entry: &'static PollEntry<A>,
    mut shutdown: ShutdownWatch,
) {
    let poll = &entry.meta;
    let mut failures = 0;
    while shutdown.is_running() {
        let span = telemetry::poll_span(poll);
        let ticked = tick(&*app, &clock, entry, &mut shutdown).instrument(span.clone()).await;
        failures = failures_after(failures, &ticked);
        let wait = wait_after(poll, failures, &ticked, rand::random());
        telemetry::ticked(poll, &span, &ticked, wait, clock.now());
        discard(ticked);
        match wait {
            Some(wait) => {
                let _ended = select(clock.sleep(wait), pin!(shutdown.draining())).await;
            }
            // Nobody is starved by a poll that always finds more.
            None => tokio::task::yield_now().await,
        }
    }
}

async fn tick<A>(app: &A, clock: &JobClock, entry: &PollEntry<A>, shutdown: &mut ShutdownWatch) -> Ticked {
    let timeout = clock.sleep(entry.meta.timeout);
    let end = async {
        match select(timeout, pin!(shutdown.cancelled())).await {
            Either::Left(_) => Ticked::TimedOut,
            Either::Right(_) => Ticked::Cancelled,
        }
    };
    match contained(true, || (entry.tick)(clock, app), end).await {
        Contained::Returned(Ok(tick)) => Ticked::Ended(tick),
        Contained::Returned(Err(error)) => Ticked::Failed(error),
        Contained::Panicked(payload) => Ticked::Panicked(payload),
        Contained::CutOff(ended) => ended,
    }
}

/// How many ticks have failed since the last one that did not.
const fn failures_after(failures: u32, ticked: &Ticked) -> u32 {
    match ticked {
        Ticked::Ended(_) => 0,
        _ => failures.saturating_add(1),
    }
}

/// `None`: there is more to do, and the next tick follows at once. After failures in a row, `every` doubled once for each of them, of which
/// half is drawn: what fails for all processes at once is not asked again by all of them at once.
fn wait_after(poll: &PollMeta, failures: u32, ticked: &Ticked, draw: u32) -> Option<Duration> {
    match ticked {
        Ticked::Ended(Tick::More) => None,
        Ticked::Ended(Tick::Idle) => Some(poll.every),
        _ => {
            let wait = jittered(exponential(poll.every, LONGEST_WAIT, failures), Jitter::Equal, false, draw);
            // Half a minute may be less than `every`, and who fails comes back no sooner than who is idle.
            Some(wait.max(poll.every))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn waits(every: u64, failures: u32, ticked: &Ticked) -> [Option<u64>; 2] {
        let (every, timeout) = (Duration::from_secs(every), LONGEST_WAIT);
        let poll = PollMeta { name: "p", every, timeout };
        [0, u32::MAX].map(|draw| wait_after(&poll, failures, ticked, draw).map(|wait| wait.as_secs()))
    }

    #[test]
    fn after_failures_half_of_a_doubled_wait_is_drawn() {
        let failed = |every, failures| waits(every, failures, &Ticked::TimedOut).map(Option::unwrap);
        for (failures, low, high) in [(1, 1, 2), (2, 2, 4), (3, 4, 8), (5, 16, 32), (6, 30, 60), (u32::MAX, 30, 60)] {
            assert_eq!(failed(1, failures), [low, high], "{failures}");
        }
        assert_eq!(failed(40, 1), [40, 60], "no sooner than an idle one");
        assert_eq!(failed(60, 9), [60, 60]);
    }

    #[test]
    fn what_succeeded_draws_nothing() {
        assert_eq!(waits(7, 0, &Ticked::Ended(Tick::Idle)), [Some(7); 2]);
        assert_eq!(waits(7, 0, &Ticked::Ended(Tick::More)), [None; 2]);
    }
}
