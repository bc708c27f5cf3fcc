//! Counters of attempts, and the event of provider calls. An attempt is counted, never logged.

use std::time::Duration;

use metrics::{counter, histogram};

use crate::retry::{Declaration, Kind};

pub(super) const ATTEMPTS: &str = "steadfast_unit_attempts_total";
const WAIT: &str = "steadfast_retry_wait_seconds";

/// One attempt failed; `phase` is `call` for a provider call.
pub(crate) fn attempt_failed(unit: &'static str, kind: Kind, phase: &'static str) {
    counter!(ATTEMPTS, "unit" => unit, "kind" => kind.as_str(), "phase" => phase).increment(1);
}

/// The gap that is about to be waited.
pub(crate) fn waiting(declaration: &'static Declaration, gap: Duration) {
    histogram!(WAIT, "policy" => declaration.policy.name()).record(gap);
}

/// The one event of a provider call that failed for good.
pub(crate) fn call_failed(declaration: &'static Declaration, kind: Kind, attempts: u32, waited: Duration) {
    tracing::warn!(
        call = declaration.name,
        policy = declaration.policy.name(),
        attempts,
        waited_ms = u64::try_from(waited.as_millis()).unwrap_or(u64::MAX),
        kind = kind.as_str(),
        "provider call failed"
    );
}
