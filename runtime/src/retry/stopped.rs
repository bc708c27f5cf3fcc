//! Why a failure was not retried, or not any more.

use std::fmt;

/// Why there was no further attempt.
///
/// In the event of a failure it is the field `stopped`; what the runtime itself refused is also counted
/// (`steadfast_retries_refused_total`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Stopped {
    /// The policy does not retry such a failure, a replay would not be safe here, or the scope around it retries.
    NotRetried,
    /// All retries of the policy or the schedule were used.
    Spent,
    /// The next attempt does not fit into the caller's deadline ([`within`](crate::within)).
    Deadline,
    /// The other side asked for a longer wait than there is time for.
    RetryAfter,
    /// The policy's budget of retries is used up in this process.
    Budget,
    /// A durable retrier owns the failure ([`durable::scope`](crate::durable::scope)).
    Durable,
}

impl Stopped {
    /// The word for this reason in logs and metrics.
    ///
    /// ```
    /// assert_eq!(steadfast::Stopped::RetryAfter.as_str(), "retry_after");
    /// ```
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::NotRetried => "not_retried",
            Self::Spent => "spent",
            Self::Deadline => "deadline",
            Self::RetryAfter => "retry_after",
            Self::Budget => "budget",
            Self::Durable => "durable",
        }
    }
}

impl fmt::Display for Stopped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
