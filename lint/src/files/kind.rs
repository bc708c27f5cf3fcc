//! What a finding is, and what is said about it.

use crate::Found;

/// What kind of thing was found.
///
/// ```
/// use steadfast_lint::Kind;
///
/// assert_eq!(Kind::SleepingLoop.to_string(), "sleeping loop");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Kind {
    /// `.retry(…)`, or a path into a crate that retries.
    Retry,
    /// A loop that sleeps.
    SleepingLoop,
    /// `interval(…)`, `.tick().await` in a loop, and their like.
    Ticker,
    /// A name such as `last_run`, set from a clock.
    LastRun,
    /// A crate that runs things at their times.
    Schedule,
    /// `.post(…)` or `.patch(…)` in what is retried, without a word about idempotency.
    UnkeyedRequest,
    /// A `pub` job or poll that no `registry!` lists: only where [`Lint::every_job_listed`](crate::Lint::every_job_listed) asks for it.
    UnlistedJob,
}

impl Kind {
    /// What is wrong with this word and how it is mended: "problem; fix".
    pub(crate) fn message(self, word: &str) -> String {
        match self {
            Self::Retry => format!(
                "`{word}` retries by numbers of its own, and replays whatever stands in it; put the work under `#[atomic_unit(retry = \
                 contention)]` or `#[provider_call(…)]`, and the policy into `src/retry.rs`"
            ),
            Self::SleepingLoop => format!(
                "a loop that sleeps, by `{word}`, is a retry or a schedule by hand; name a policy, or declare a `#[job(…)]`, a `#[poll(…)]` \
                 or a schedule, for example `schedule::of::<retry::tick>().repeat(work)`"
            ),
            Self::Ticker => format!(
                "`{word}` is a schedule by hand, in every replica and seen by nobody; declare a `#[job(…)]`, or a poll, for example \
                 `#[poll(every = \"1s\", timeout = \"30s\")]`"
            ),
            Self::LastRun => format!(
                "`{word}` is a cursor in memory, lost at every start and another one in each replica; ask for what is due, in a job as of \
                 its slot, for example `where due_at <= $1`"
            ),
            Self::Schedule => format!(
                "`{word}` runs things at times that no registry lists; declare a job, for example `#[job(cron = \"0 3 * * *\", timeout = \
                 \"5m\")]`"
            ),
            Self::UnkeyedRequest => format!(
                "`.{word}(…)` in what is retried is sent again when only its answer was lost; send an idempotency key, for example with \
                 `steadfast::http`, or take it out of the retry"
            ),
            Self::UnlistedJob => format!(
                "`{word}` stands in no `registry!` of this crate, so it never runs; list it, for example `registry! {{ pub static JOBS for \
                 App = [{word}]; }}`, or remove its attribute"
            ),
        }
    }
}

impl std::fmt::Display for Kind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Retry => "retry",
            Self::SleepingLoop => "sleeping loop",
            Self::Ticker => "ticker",
            Self::LastRun => "last run",
            Self::Schedule => "schedule",
            Self::UnkeyedRequest => "unkeyed request",
            Self::UnlistedJob => "unlisted job",
        })
    }
}

/// The kind and the word of what is one in a file without attributes. A task, a clock or a transaction is none there, and neither is
/// a named retry.
pub(crate) fn of(found: Found) -> Option<(Kind, proc_macro2::Ident)> {
    if found.is_named_retry() {
        return None;
    }
    match found {
        Found::Retry(word) => Some((Kind::Retry, word)),
        Found::SleepInLoop(word) => Some((Kind::SleepingLoop, word)),
        Found::Ticker(word) => Some((Kind::Ticker, word)),
        Found::LastRun(word) => Some((Kind::LastRun, word)),
        Found::Schedule(word) => Some((Kind::Schedule, word)),
        Found::Post(word) => Some((Kind::UnkeyedRequest, word)),
        Found::Spawn(_) | Found::Clock(..) | Found::Begin(_) | Found::Policies(_) => None,
    }
}
