//! Counters of attempts, and the event of provider calls. An attempt is counted, never logged.

use std::time::Duration;

use metrics::{Key, Level, Metadata, with_recorder};

use crate::retry::{Declaration, Kind};

pub(crate) const ATTEMPTS: &str = "steadfast_unit_attempts_total";
pub(crate) const RUNS: &str = "steadfast_unit_runs_total";
const WAIT: &str = "steadfast_retry_wait_seconds";

static METADATA: Metadata<'static> = Metadata::new(module_path!(), Level::INFO, Some(module_path!()));

/// Counts under a key of constants, which allocates nothing.
pub(super) fn count(key: &Key) {
    with_recorder(|recorder| recorder.register_counter(key, &METADATA).increment(1));
}

/// One attempt of a provider call failed.
pub(crate) fn call_attempt_failed(declaration: &'static Declaration, kind: Kind) {
    count(&Key::from_static_parts(ATTEMPTS, &declaration.labels.call_failed[kind.index()]));
}

/// The gap that is about to be waited.
pub(crate) fn waiting(declaration: &'static Declaration, gap: Duration) {
    let key = Key::from_static_parts(WAIT, declaration.labels.waiting);
    with_recorder(|recorder| recorder.register_histogram(&key, &METADATA).record(gap.as_secs_f64()));
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
