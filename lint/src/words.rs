//! The words that are looked for. A name of its own module or crate is never told from a user's: the tokens around it decide.

/// Crates that retry by themselves, wherever a path into them stands.
pub(crate) const RETRY_CRATES: [&str; 9] = [
    "backon",
    "tokio_retry",
    "tokio_retry2",
    "backoff",
    "tryhard",
    "exponential_backoff",
    "reqwest_retry",
    "futures_retry",
    "retry_policies",
];

/// Crates and modules with a name that users have as well: only together with what follows.
///
/// `retry` is the crate of that name, and every user's `crate::retry`, whose items are policies and never called.
pub(crate) const RETRY_PATHS: [(&str, &[&str], Follows); 4] = [
    ("retry", &["retry", "retry_with_index"], Follows::Call),
    ("retry", &["delay"], Follows::Type),
    ("again", &["retry", "retry_if", "RetryPolicy"], Follows::Anything),
    ("tower", &["retry"], Follows::Anything),
];

/// What stands behind a path of two words.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Follows {
    Anything,
    /// `retry::retry(…)`
    Call,
    /// `retry::delay::Fixed`, `retry::delay::{…}`
    Type,
}

/// Functions that wait, by the names that runtimes give them. `park_timeout` is none: a thread may wake up for no reason, so it always
/// stands in a loop.
pub(crate) const SLEEPS: [&str; 4] = ["sleep", "sleep_until", "delay_for", "delay_until"];
/// `Timer::after(…)` of smol and embassy, `Delay::new(…)` of futures-timer.
pub(crate) const SLEEP_TYPES: [(&str, &[&str]); 2] = [("Timer", &["after", "at"]), ("Delay", &["new"])];

/// Functions that make a ticker, as `interval(…)` or at the end of a path.
pub(crate) const TICKERS: [&str; 2] = ["interval", "interval_at"];
pub(crate) const TICKER_TYPES: [(&str, &[&str]); 2] =
    [("Timer", &["interval", "interval_at"]), ("IntervalStream", &["new"])];

/// Crates whose reason to exist is a schedule. A parser of cron lines is none: what runs by it is a loop that sleeps.
pub(crate) const SCHEDULE_CRATES: [&str; 7] = [
    "tokio_cron_scheduler",
    "tokio_schedule",
    "clokwerk",
    "job_scheduler",
    "job_scheduler_ng",
    "delay_timer",
    "apalis_cron",
];

pub(crate) const SPAWNS: [&str; 3] = ["spawn", "spawn_local", "spawn_blocking"];

/// Types whose `now` is the wall clock.
pub(crate) const CLOCKS: [&str; 7] =
    ["SystemTime", "Utc", "Local", "Zoned", "Timestamp", "OffsetDateTime", "UtcDateTime"];
pub(crate) const NOWS: [&str; 3] = ["now", "now_utc", "now_local"];

/// What remembers when something was done last, without an ending such as `_at`. `last_seen` is a domain's word.
const CURSORS: [&str; 15] = [
    "last_run",
    "last_tick",
    "last_poll",
    "last_polled",
    "last_check",
    "last_checked",
    "last_sync",
    "last_synced",
    "last_scan",
    "last_pass",
    "last_fetch",
    "last_executed",
    "last_processed",
    "last_slot",
    "since",
];
const ENDINGS: [&str; 7] = ["_at", "_time", "_ts", "_timestamp", "_ms", "_millis", "_secs"];

/// `last_run`, `LAST_RUN_AT`, `since`.
pub(crate) fn is_cursor(name: &str) -> bool {
    // Nearly every word of a file ends here, without an allocation.
    if !["last_", "LAST_", "since", "SINCE"].iter().any(|start| name.starts_with(start)) {
        return false;
    }
    let name = name.to_ascii_lowercase();
    let plain = ENDINGS.iter().find_map(|ending| name.strip_suffix(ending)).unwrap_or(&name);
    CURSORS.contains(&plain)
}
