//! The history of runs: a row when a run begins, the same row when it ends. For people; nothing is decided by it, so a run waits for
//! none of it before its lease is released, and does not fail by it.

#[cfg(feature = "_database")]
mod table;

use std::{
    error::Error,
    pin::Pin,
    sync::atomic::{AtomicBool, Ordering},
    time::SystemTime,
};

use futures_util::future::{Either, select};

use super::{
    job::Meta,
    lease::{RunId, millis},
    outcome::RunOutcome,
    slot::Slot,
    telemetry,
    trigger::Trigger,
};
use crate::platform::BoxFuture;

#[cfg(feature = "_database")]
pub(crate) use table::HistoryEngine;
#[cfg(feature = "_database")]
pub use table::{RunHistory, RunRecord};

/// Where runs are recorded.
pub(crate) trait RecordsRuns: Send + Sync {
    /// Writes a row of a run, over the one that is there.
    fn record(&self, row: Recorded) -> BoxFuture<'_, Result<(), Box<dyn Error + Send + Sync>>>;

    /// Whether the last row could not be written: that is told once, until one can.
    fn fails(&self) -> &AtomicBool;
}

/// What there is to say of a run, times in milliseconds since the epoch.
#[derive(Clone, Debug)]
// Without a database nobody reads it.
#[cfg_attr(not(feature = "_database"), allow(dead_code))]
pub(crate) struct Recorded {
    pub(crate) job: &'static str,
    pub(crate) started: i64,
    pub(crate) run: String,
    pub(crate) slot: i64,
    pub(crate) trigger: Trigger,
    pub(crate) end: Option<End>,
}

/// The end of a run.
#[derive(Clone, Debug)]
#[cfg_attr(not(feature = "_database"), allow(dead_code))]
pub(crate) struct End {
    pub(crate) at: i64,
    pub(crate) outcome: &'static str,
    pub(crate) error: Option<String>,
}

/// A run that is being recorded, if runs are.
pub(crate) struct Recording<'h>(Option<Box<Begun<'h>>>);

struct Begun<'h> {
    history: &'h dyn RecordsRuns,
    job: &'h Meta,
    slot: Slot,
    row: Recorded,
    /// The first row, as long as it is not written.
    writing: Option<BoxFuture<'h, ()>>,
}

impl<'h> Recording<'h> {
    pub(crate) fn of(
        history: Option<&'h dyn RecordsRuns>,
        job: &'h Meta,
        (slot, trigger): (Slot, Trigger),
        run: &RunId,
        started: SystemTime,
    ) -> Self {
        Self(history.map(|history| {
            let (run, slot_millis) = (run.as_str().to_owned(), slot.unix_millis());
            let row = Recorded { job: job.name, started: millis(started), run, slot: slot_millis, trigger, end: None };
            let writing = Some(write(history, job, slot, row.clone()));
            Box::new(Begun { history, job, slot, row, writing })
        }))
    }

    pub(crate) const fn is_on(&self) -> bool {
        self.0.is_some()
    }

    /// Does the work, and writes the first row meanwhile.
    pub(crate) async fn begun_beside<F: Future>(&mut self, mut work: Pin<&mut F>) -> F::Output {
        if let Some((begun, writing)) =
            self.0.as_mut().and_then(|begun| begun.writing.take().map(|writing| (begun, writing)))
        {
            // The row first: who looks at a run from its first step on sees that it has begun.
            if let Either::Right((done, writing)) = select(writing, work.as_mut()).await {
                begun.writing = Some(writing);
                return done;
            }
        }
        work.await
    }

    /// Writes the last row.
    pub(crate) async fn ended(self, outcome: &RunOutcome, error: Option<String>, now: SystemTime) {
        let Some(begun) = self.0 else { return };
        let Begun { history, job, slot, row, writing } = *begun;
        if let Some(writing) = writing {
            writing.await;
        }
        let end = Some(End { at: millis(now), outcome: outcome.as_str(), error });
        write(history, job, slot, Recorded { end, ..row }).await;
    }
}

fn write<'h>(history: &'h dyn RecordsRuns, job: &'h Meta, slot: Slot, row: Recorded) -> BoxFuture<'h, ()> {
    let writing = history.record(row);
    Box::pin(async move {
        let written = writing.await;
        let told = history.fails().swap(written.is_err(), Ordering::Relaxed);
        if let (Err(error), false) = (written, told) {
            telemetry::not_recorded(job, slot, &*error);
        }
    })
}
