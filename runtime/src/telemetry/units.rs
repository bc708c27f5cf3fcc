//! Span, counters and event of atomic units.

use std::time::Duration;

use metrics::counter;
use tracing::{Span, field};

use super::attempts::{ATTEMPTS, count};
use crate::{
    redact::RedactedText,
    retry::{Declaration, Kind, Outcome, Phase, Stopped},
};

const RUNS: &str = "steadfast_unit_runs_total";
const HOOKS_FAILED: &str = "steadfast_after_commit_failures_total";

/// The span of a unit: all its attempts.
pub(crate) fn unit_span(declaration: &'static Declaration) -> Span {
    let span = tracing::info_span!(
        "steadfast.unit",
        otel.name = declaration.name,
        otel.kind = "internal",
        steadfast.unit.name = declaration.name,
        steadfast.unit.policy = declaration.policy.name(),
        steadfast.unit.attempts = field::Empty,
        db.response.status_code = field::Empty,
        error.type = field::Empty,
    );
    // Nobody listens: a span that knows of no callsite costs nothing at each of the body's polls.
    if span.is_disabled() { Span::none() } else { span }
}

/// A unit committed.
pub(crate) fn committed(declaration: &'static Declaration, span: &Span, attempts: u32) {
    span.record("steadfast.unit.attempts", attempts);
    count(ATTEMPTS, &declaration.labels.attempt_committed);
    count(RUNS, &declaration.labels.run_committed);
}

/// One attempt of a unit failed. Counted, never logged.
pub(crate) fn attempt_failed(declaration: &'static Declaration, kind: Kind, phase: Phase) {
    counter!(ATTEMPTS, "unit" => declaration.name, "kind" => kind.as_str(), "phase" => phase.as_str()).increment(1);
}

/// The body answered with a domain error: counted, but no failure of ours to report.
pub(crate) fn domain_error(declaration: &'static Declaration, span: &Span, attempts: u32) {
    span.record("steadfast.unit.attempts", attempts);
    run_ended(declaration, "domain_error");
}

/// The one event of a unit that failed for good.
#[allow(clippy::too_many_arguments)] // each is one field of the event
pub(crate) fn unit_failed(
    declaration: &'static Declaration,
    span: &Span,
    kind: Kind,
    phase: Phase,
    outcome: Outcome,
    code: Option<&str>,
    attempts: u32,
    waited: Duration,
    stopped: Stopped,
) {
    span.record("steadfast.unit.attempts", attempts);
    span.record("error.type", kind.as_str());
    if let Some(code) = code {
        span.record("db.response.status_code", code);
    }
    span.in_scope(|| {
        tracing::warn!(
            unit = declaration.name,
            policy = declaration.policy.name(),
            attempts,
            waited_ms = u64::try_from(waited.as_millis()).unwrap_or(u64::MAX),
            kind = kind.as_str(),
            phase = phase.as_str(),
            outcome = outcome.as_str(),
            stopped = stopped.as_str(),
            code,
            "atomic unit failed"
        );
    });
    run_ended(declaration, outcome.as_str());
}

/// A unit was cancelled while COMMIT was under way; nobody is left to hand the failure to.
pub(crate) fn cancelled_in_commit(declaration: &'static Declaration) {
    tracing::warn!(
        unit = declaration.name,
        policy = declaration.policy.name(),
        phase = Phase::Commit.as_str(),
        outcome = Outcome::InDoubt.as_str(),
        "atomic unit was cancelled during COMMIT: whether it was applied is not known"
    );
    run_ended(declaration, Outcome::InDoubt.as_str());
}

/// The unit is committed; what it wanted to do then failed. The text is the application's own.
pub(crate) fn hook_failed(error: &dyn std::fmt::Display) {
    counter!(HOOKS_FAILED).increment(1);
    tracing::warn!(error = %RedactedText(&error.to_string()), "an atomic unit is committed, and what it left for after that failed");
}

fn run_ended(declaration: &'static Declaration, outcome: &'static str) {
    counter!(RUNS, "unit" => declaration.name, "policy" => declaration.policy.name(), "outcome" => outcome)
        .increment(1);
}
