//! Counters of attempts, and the event of provider calls. An attempt is counted, never logged.

use std::time::Duration;

use metrics::{Key, Label, Level, Metadata, counter, gauge, with_recorder};

use crate::retry::{Declaration, Kind, Stopped};

pub(super) const ATTEMPTS: &str = "steadfast_unit_attempts_total";
const WAIT: &str = "steadfast_retry_wait_seconds";
const REFUSED: &str = "steadfast_retries_refused_total";
const BUDGET: &str = "steadfast_retry_budget_tokens";

static METADATA: Metadata<'static> = Metadata::new(module_path!(), Level::INFO, Some(module_path!()));

/// Counts under a key of constants, which allocates nothing.
pub(super) fn count(name: &'static str, labels: &'static [Label]) {
    let key = Key::from_static_parts(name, labels);
    with_recorder(|recorder| recorder.register_counter(&key, &METADATA).increment(1));
}

/// One attempt of a provider call failed.
pub(crate) fn call_attempt_failed(declaration: &'static Declaration, kind: Kind) {
    count(ATTEMPTS, &declaration.labels.call_failed[kind.index()]);
}

/// The gap that is about to be waited.
pub(crate) fn waiting(labels: &'static [Label], gap: Duration) {
    let key = Key::from_static_parts(WAIT, labels);
    with_recorder(|recorder| recorder.register_histogram(&key, &METADATA).record(gap.as_secs_f64()));
}

/// What is left of a policy's budget after a retry has asked for its share.
pub(crate) fn budget(declaration: &Declaration, tokens: f64) {
    gauge!(BUDGET, "policy" => declaration.policy.name()).set(tokens);
}

/// A retry that the policy had left was refused.
pub(crate) fn stopped(declaration: &Declaration, stopped: Stopped) {
    if matches!(stopped, Stopped::Deadline | Stopped::RetryAfter | Stopped::Budget | Stopped::Durable) {
        counter!(REFUSED, "policy" => declaration.policy.name(), "reason" => stopped.as_str()).increment(1);
    }
}

/// The one event of a provider call that failed for good.
pub(crate) fn call_failed(
    declaration: &'static Declaration,
    kind: Kind,
    attempts: u32,
    waited: Duration,
    stopped: Stopped,
) {
    tracing::warn!(
        call = declaration.name,
        policy = declaration.policy.name(),
        attempts,
        waited_ms = u64::try_from(waited.as_millis()).unwrap_or(u64::MAX),
        kind = kind.as_str(),
        stopped = stopped.as_str(),
        "provider call failed"
    );
}
