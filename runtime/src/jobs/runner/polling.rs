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
use crate::{clock::JobClock, retry::exponential};

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
        let wait = wait_after(poll, failures, &ticked);
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

/// `None`: there is more to do, and the next tick follows at once. Otherwise `every`, doubled once for each failure in a row.
const fn wait_after(poll: &PollMeta, failures: u32, ticked: &Ticked) -> Option<Duration> {
    match ticked {
        Ticked::Ended(Tick::More) => None,
        _ => Some(exponential(poll.every, LONGEST_WAIT, failures)),
    }
}
