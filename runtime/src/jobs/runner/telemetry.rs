//! What the loop tells: which jobs and polls there are, which slots it does not run, and how a tick of a poll ended. What a run tells is
//! in [`jobs::telemetry`](crate::jobs::telemetry).

use std::time::{Duration, SystemTime};

use metrics::{Unit, counter, describe_counter, describe_gauge, describe_histogram, gauge};
use tracing::Span;

use super::polling::Ticked;
use crate::{
    clock::since_epoch,
    jobs::{
        job::Meta,
        lease::LeaseError,
        poll::PollMeta,
        slot::Slot,
        telemetry::{panic_text, told},
        trigger::Trigger,
    },
    redact::RedactedText,
};

/// Tells the recorder what the metrics mean.
pub(super) fn describe() {
    describe_counter!(
        "steadfast_job_runs_total",
        "Runs of a job by outcome; `overlap` is a slot skipped because the last run was still going on"
    );
    describe_histogram!("steadfast_job_duration_seconds", Unit::Seconds, "How long a run took");
    describe_histogram!("steadfast_job_lateness_seconds", Unit::Seconds, "How long after its slot a run began");
    describe_gauge!("steadfast_job_running", "Runs going on in this process");
    describe_gauge!(
        "steadfast_job_last_success_timestamp_seconds",
        Unit::Seconds,
        "When a run of the job last completed here"
    );
    describe_gauge!("steadfast_job_next_slot_timestamp_seconds", Unit::Seconds, "The job's next slot");
    describe_counter!("steadfast_poll_ticks_total", "Ticks of a poll by outcome");
    describe_gauge!(
        "steadfast_poll_last_success_timestamp_seconds",
        Unit::Seconds,
        "When a tick of the poll last succeeded here"
    );
    describe_counter!("steadfast_items_total", "Items of a batch by outcome");
    describe_counter!("steadfast_lease_claims_total", "Claims of an exclusive job's slot by result");
    describe_gauge!(
        "steadfast_clock_skew_seconds",
        Unit::Seconds,
        "By how much this process's clock is ahead of the lease store's"
    );
}

#[allow(clippy::cast_precision_loss, reason = "timestamps are exact up to the year 9999")]
pub(super) fn next_slot(job: &Meta, next: Slot) {
    gauge!("steadfast_job_next_slot_timestamp_seconds", "job" => job.name).set(next.unix_seconds() as f64);
}

/// The start-up table, one event a job.
pub(super) fn registered(job: &Meta, next: Option<Slot>) {
    let next = next.map_or_else(|| "never".to_owned(), |next| next.to_string());
    tracing::info!(job = job.name, cron = job.cron_text, timeout = ?job.timeout, exclusive = job.exclusive, next_slot = next, "job registered");
}

pub(super) fn overlap(job: &Meta) {
    counter!("steadfast_job_runs_total", "job" => job.name, "outcome" => "overlap", "trigger" => Trigger::Timer.as_str()).increment(1);
}

/// A slot that was missed is run.
pub(super) fn catching_up(job: &Meta, slot: Slot) {
    tracing::info!(job = job.name, slot = %slot, "a slot that was missed is run now");
}

/// Whether a slot was missed could not be asked: the next one runs as always.
pub(super) fn catch_up_failed(job: &Meta, error: &LeaseError) {
    tracing::warn!(job = job.name, kind = error.kind().as_str(), code = error.database_code(), error = %error, "what was missed is not known");
}

/// The runner's own task ended badly: a defect of steadfast, which must not go unseen.
pub(super) fn task_failed(error: &tokio::task::JoinError) {
    if error.is_panic() {
        tracing::error!("a run's own task panicked; this is a defect of steadfast, please report it");
    }
}

/// The start-up table's line of a poll.
pub(super) fn poll_registered(poll: &PollMeta) {
    tracing::info!(poll = poll.name, every = ?poll.every, timeout = ?poll.timeout, "poll registered");
}

/// The span of one tick. Most find nothing, so it is there only for who asks for details.
pub(super) fn poll_span(poll: &PollMeta) -> Span {
    tracing::debug_span!(
        "steadfast.poll",
        otel.name = format_args!("poll {}", poll.name),
        otel.kind = "internal",
        steadfast.poll.name = poll.name,
        steadfast.poll.outcome = tracing::field::Empty,
        error.r#type = tracing::field::Empty,
    )
}

/// The end of a tick: its metrics, its span's outcome, and one event if it failed.
pub(super) fn ticked(poll: &PollMeta, span: &Span, ticked: &Ticked, wait: Option<Duration>, now: SystemTime) {
    let (name, outcome) = (poll.name, ticked.as_str());
    counter!("steadfast_poll_ticks_total", "poll" => name, "outcome" => outcome).increment(1);
    span.record("steadfast.poll.outcome", outcome);
    if let Ticked::Ended(_) = ticked {
        let (seconds, _) = since_epoch(now);
        #[allow(clippy::cast_precision_loss, reason = "a timestamp: exact up to the year 9999")]
        gauge!("steadfast_poll_last_success_timestamp_seconds", "poll" => name).set(seconds as f64);
        return;
    }
    span.record("error.type", outcome);
    let _inside = span.enter();
    let wait = wait.unwrap_or_default();
    match ticked {
        Ticked::Failed(error) => {
            let (code, text) = told(&**error);
            tracing::error!(poll = name, code, error = text, next_in = ?wait, "the poll failed; its next tick is later");
        }
        Ticked::Panicked(payload) => {
            let text = panic_text(&**payload);
            tracing::error!(poll = name, panic = %RedactedText(text), next_in = ?wait, "the poll panicked; its next tick is later");
        }
        Ticked::TimedOut => {
            tracing::error!(poll = name, timeout = ?poll.timeout, next_in = ?wait, "the poll timed out and was dropped; its next tick is later");
        }
        Ticked::Cancelled => {
            tracing::warn!(poll = name, "the poll was dropped at shutdown, its grace period was over");
        }
        Ticked::Ended(_) => {}
    }
}
