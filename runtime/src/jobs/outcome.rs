//! How a run ended.

use std::fmt;

use super::{job::JobError, lease::LostCause};
use crate::redact::Redacted;

/// How one run of a job ended.
///
/// The lease follows from it (`docs/rules.md#release-only-what-you-hold`): a clean end releases it, and so does a typed
/// failure; after a timeout or a panic work may still be going on, so the lease is left to run out.
///
/// ```
/// # use steadfast::RunOutcome;
/// # fn check(outcome: RunOutcome) {
/// assert!(outcome.is_completed(), "the run {outcome}");
/// # }
/// # check(RunOutcome::Completed);
/// let failed = RunOutcome::Failed("the bank is closed".into());
/// assert_eq!(failed.to_string(), "failed: the bank is closed");
/// ```
#[non_exhaustive]
#[must_use = "a run that failed is not retried by anyone but the next slot"]
pub enum RunOutcome {
    /// The function returned `Ok`.
    Completed,
    /// The function returned this error.
    Failed(JobError),
    /// The function was dropped when the job's timeout was over.
    TimedOut,
    /// The function panicked. The panic ends here: the runner goes on.
    Panicked,
    /// The function was dropped because the process shuts down and the grace period was over.
    Cancelled,
    /// The function was dropped because its lease could not be renewed in time, or another run had taken it.
    LeaseLost,
    /// The function was not called.
    NotClaimed(NotClaimed),
}

/// Why an exclusive job's function was not called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum NotClaimed {
    /// Another replica has or had the slot, or the lease, or this replica's clock is off.
    Lost(LostCause),
    /// The lease store could not be asked. The next slot is claimed again.
    StoreFailed,
    /// The process had begun to shut down.
    ShuttingDown,
}

impl RunOutcome {
    /// Did the function return `Ok`?
    #[must_use]
    pub const fn is_completed(&self) -> bool {
        matches!(self, Self::Completed)
    }

    /// The label of metrics and of the span's `steadfast.job.outcome`.
    #[must_use]
    pub const fn as_str(&self) -> &'static str {
        match self {
            Self::Completed => "completed",
            Self::Failed(_) => "failed",
            Self::TimedOut => "timed_out",
            Self::Panicked => "panicked",
            Self::Cancelled => "cancelled",
            Self::LeaseLost => "lease_lost",
            Self::NotClaimed(_) => "not_claimed",
        }
    }
}

/// The variant, and of a failure its text; never what a database says of a row's values.
impl fmt::Debug for RunOutcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Completed => f.write_str("Completed"),
            Self::Failed(error) => write!(f, "Failed({})", Redacted(&**error)),
            Self::TimedOut => f.write_str("TimedOut"),
            Self::Panicked => f.write_str("Panicked"),
            Self::Cancelled => f.write_str("Cancelled"),
            Self::LeaseLost => f.write_str("LeaseLost"),
            Self::NotClaimed(cause) => write!(f, "NotClaimed({cause:?})"),
        }
    }
}

/// What a run did, as the end of a sentence; of a failure the text that the log has.
impl fmt::Display for RunOutcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Completed => f.write_str("completed"),
            Self::Failed(error) => write!(f, "failed: {}", Redacted(&**error)),
            Self::TimedOut => f.write_str("timed out"),
            Self::Panicked => f.write_str("panicked"),
            Self::Cancelled => f.write_str("was cancelled by a shutdown"),
            Self::LeaseLost => f.write_str("lost its lease"),
            Self::NotClaimed(cause) => write!(f, "was not claimed: {cause}"),
        }
    }
}

impl fmt::Display for NotClaimed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Lost(LostCause::Slot) => "another run has had its slot",
            Self::Lost(LostCause::Held) => "another run holds the lease",
            Self::Lost(LostCause::Skew) => "the clock of this process and that of the lease store differ",
            Self::Lost(LostCause::Early) => "its slot is yet to come",
            Self::Lost(LostCause::Paused) => "the job is paused",
            Self::StoreFailed => "the lease store could not be asked",
            Self::ShuttingDown => "the process was shutting down",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_outcome_ends_a_sentence_and_tells_no_secret() {
        let failed = RunOutcome::Failed("at postgres://app:c4nary-hunter2@db.example/shop".into());
        for (outcome, told) in [
            (RunOutcome::Completed, "completed"),
            (failed, "failed: at postgres://…"),
            (RunOutcome::TimedOut, "timed out"),
            (RunOutcome::Panicked, "panicked"),
            (RunOutcome::Cancelled, "was cancelled by a shutdown"),
            (RunOutcome::LeaseLost, "lost its lease"),
            (RunOutcome::NotClaimed(NotClaimed::Lost(LostCause::Held)), "was not claimed: another run holds the lease"),
        ] {
            assert_eq!(outcome.to_string(), told);
        }
    }
}
