//! What a run tells: one span, at most one event, and metrics. Names and labels stand in `docs/telemetry.md`.
//!
//! Labels are bounded: job, outcome, trigger, result. Never a slot, a run or a holder.

use std::{
    any::Any,
    error::Error,
    panic::{AssertUnwindSafe, catch_unwind},
    time::{Duration, SystemTime},
};

use metrics::{counter, gauge, histogram};
use tracing::Span;

use super::{
    job::Meta,
    lease::{LeaseError, LostCause, Paused, RunId},
    outcome::RunOutcome,
    run::discard,
    slot::Slot,
    trigger::Trigger,
};
use crate::{
    clock::since_epoch,
    redact::{Redacted, RedactedText, database_code},
};
/// An answer of the lease store.
#[allow(clippy::cast_precision_loss, reason = "an offset of clocks: milliseconds are more than enough")]
pub(crate) fn claimed(job: &Meta, lost: Option<LostCause>, skew_millis: i64) {
    gauge!("steadfast_clock_skew_seconds").set(skew_millis as f64 / 1000.0);
    let result = match lost {
        None => "won",
        Some(LostCause::Slot) => "lost_slot",
        Some(LostCause::Held) => "lost_held",
        Some(LostCause::Skew) => "skew",
        Some(LostCause::Early) => "early",
        Some(LostCause::Paused) => "paused",
    };
    counter!("steadfast_lease_claims_total", "job" => job.name, "result" => result).increment(1);
}

/// A clock that is off, told once a job.
pub(crate) fn skewed(job: &Meta, skew_millis: i64) {
    tracing::warn!(
        job = job.name,
        skew_ms = skew_millis,
        "this process's clock and the lease store's differ by more than is tolerated, so it claims no slot; \
         set the clock, for example with NTP"
    );
}

/// A slot that is not yet: the clock was set back since it fired, or a trigger named a time of its own.
pub(crate) fn early(job: &Meta, slot: Slot) {
    tracing::warn!(
        job = job.name, slot = %slot,
        "the slot is ahead of this process's clock and is not run; the clock was set back, or a trigger named a time that is not yet"
    );
}

/// A job that is paused, told at the first slot that does not run.
pub(crate) fn paused(job: &Meta, paused: &Paused) {
    tracing::info!(
        job = job.name,
        reason = paused.reason,
        "the job is paused: its slots do not run until it is resumed"
    );
}

/// One run keeps several slots from running: it hangs, its process is gone, or it takes longer than the gap between slots.
pub(crate) fn blocked(job: &Meta, by: Slot) {
    tracing::warn!(
        job = job.name,
        held_by_slot = %by,
        "the run of one slot holds the job's lease and kept several later slots from running; it runs out by itself"
    );
}

/// The store could not be asked: the slot is skipped, and this is the run's one line.
pub(crate) fn claim_failed(job: &Meta, slot: Slot, by_hand: bool, error: &LeaseError) {
    counter!("steadfast_lease_claims_total", "job" => job.name, "result" => "error").increment(1);
    tracing::error!(
        job = job.name, slot = %slot, kind = error.kind().as_str(), code = error.database_code(), error = %error,
        "{}",
        if by_hand { "the lease could not be claimed, so the job does not run now" } else { "the slot could not be claimed and is skipped" }
    );
}

pub(crate) fn release_failed(job: &Meta, slot: Slot, error: &LeaseError) {
    tracing::warn!(
        job = job.name, slot = %slot, kind = error.kind().as_str(), code = error.database_code(), error = %error,
        "the lease could not be released; it runs out by itself"
    );
}

/// The span of one run. Attributes follow the `faas` timer conventions of OpenTelemetry.
pub(crate) fn span(job: &Meta, slot: Slot, trigger: Trigger, run: &RunId, lateness: Duration) -> Span {
    tracing::info_span!(
        "steadfast.job",
        otel.name = format!("job {}", job.name),
        otel.kind = "internal",
        faas.trigger = trigger.as_faas(),
        faas.cron = job.cron_text,
        faas.time = %slot,
        faas.invocation_id = %run,
        steadfast.job.name = job.name,
        steadfast.job.slot = %slot,
        steadfast.job.trigger = trigger.as_str(),
        steadfast.job.lateness_ms = u64::try_from(lateness.as_millis()).unwrap_or(u64::MAX),
        steadfast.job.outcome = tracing::field::Empty,
        error.r#type = tracing::field::Empty,
    )
}

/// A run that is going on; counts itself out, whatever ends it.
pub(crate) struct Running(&'static str);

impl Running {
    pub(crate) fn begin(job: &Meta, lateness: Duration) -> Self {
        histogram!("steadfast_job_lateness_seconds", "job" => job.name).record(lateness.as_secs_f64());
        gauge!("steadfast_job_running", "job" => job.name).increment(1.0);
        Self(job.name)
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        gauge!("steadfast_job_running", "job" => self.0).decrement(1.0);
    }
}

/// The end of a run: its metrics, its span's outcome, and one event if it did not complete.
pub(crate) fn ended(
    job: &Meta,
    trigger: Trigger,
    span: &Span,
    outcome: &RunOutcome,
    panic: Option<&(dyn Any + Send)>,
    took: Duration,
    now: SystemTime,
) {
    let (name, outcome_label) = (job.name, outcome.as_str());
    counter!("steadfast_job_runs_total", "job" => name, "outcome" => outcome_label, "trigger" => trigger.as_str())
        .increment(1);
    histogram!("steadfast_job_duration_seconds", "job" => name).record(took.as_secs_f64());
    span.record("steadfast.job.outcome", outcome_label);
    if outcome.is_completed() {
        let (seconds, _) = since_epoch(now);
        #[allow(clippy::cast_precision_loss, reason = "a timestamp: exact up to the year 9999")]
        gauge!("steadfast_job_last_success_timestamp_seconds", "job" => name).set(seconds as f64);
        return;
    }
    span.record("error.type", outcome_label);
    let _inside = span.enter();
    match outcome {
        RunOutcome::Failed(error) => {
            let (code, text) = told(&**error);
            tracing::error!(job = name, code, error = text, "the job failed; the next slot runs it again");
        }
        RunOutcome::TimedOut => {
            let then = then(job);
            tracing::error!(job = name, timeout = ?job.timeout, "the job timed out and was dropped; {then}");
        }
        RunOutcome::Panicked => {
            let text = panic.map_or("", panic_text);
            let then = then(job);
            tracing::error!(job = name, panic = %RedactedText(text), "the job panicked; {then}");
        }
        RunOutcome::Cancelled => {
            let slot = if job.lease.hand_back { "is given back" } else { "stays taken" };
            tracing::warn!(job = name, "the job was dropped at shutdown, its grace period was over; the slot {slot}");
        }
        RunOutcome::LeaseLost => {
            tracing::error!(
                job = name,
                "the job's lease was not renewed in time or is another run's; the job was dropped"
            );
        }
        RunOutcome::Completed | RunOutcome::NotClaimed(_) => {}
    }
}

/// What becomes of the slots after a run that left work behind.
fn then(job: &Meta) -> &'static str {
    if job.exclusive {
        "its lease is left to run out, and no slot runs until then"
    } else {
        "the next slot runs it again"
    }
}

/// What the event of a run that failed or panicked says of it.
pub(crate) fn text_of(outcome: &RunOutcome, panic: Option<&(dyn Any + Send)>) -> Option<String> {
    match outcome {
        RunOutcome::Failed(error) => Some(told(&**error).1),
        RunOutcome::Panicked => Some(RedactedText(panic.map_or("", panic_text)).to_string()),
        _ => None,
    }
}

/// What of a run could not be recorded, told once until one can: the runs themselves do not depend on it.
pub(crate) fn not_recorded(job: &Meta, slot: Slot, error: &(dyn Error + 'static)) {
    let (code, text) = told(error);
    tracing::warn!(
        job = job.name, slot = %slot, code, error = text,
        "runs cannot be recorded in the history and go on without it; check that its table is there, for example \
         `history.install().await?`"
    );
}

/// An item of a batch succeeded.
pub(crate) fn item_done() {
    item_ended("done");
}

/// An item of a batch failed: its one line.
pub(crate) fn item_failed(index: u64, error: &(dyn Error + 'static)) {
    item_ended("failed");
    let (code, text) = told(error);
    tracing::warn!(index, code, error = text, "an item failed; the others go on");
}

/// An item of a batch panicked: its one line.
pub(crate) fn item_panicked(index: u64, payload: &(dyn Any + Send)) {
    item_ended("panicked");
    tracing::error!(index, panic = %RedactedText(panic_text(payload)), "an item panicked; the others go on");
}

fn item_ended(outcome: &'static str) {
    counter!("steadfast_items_total", "outcome" => outcome).increment(1);
}

/// Code and text of an error of a job, a poll or an item. Both come from the application's own code, and more is done after them.
pub(super) fn told(error: &(dyn Error + 'static)) -> (Option<String>, String) {
    catch_unwind(AssertUnwindSafe(|| (database_code(error), Redacted(error).to_string()))).unwrap_or_else(|payload| {
        discard(payload);
        (None, "an error whose text panicked, see the output of the panic hook".to_owned())
    })
}

/// The message of `panic!("…")`. One that was formatted is left out: `unwrap()` puts the whole error into it, and with it the
/// values of a row. The panic hook has printed it.
pub(super) fn panic_text(payload: &(dyn Any + Send)) -> &'static str {
    payload.downcast_ref::<&'static str>().copied().unwrap_or("a formatted message, see the output of the panic hook")
}

#[cfg(test)]
#[path = "telemetry_tests.rs"]
mod tests;
