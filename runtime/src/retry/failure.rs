//! What a failure was, independent of the library that reported it.

use std::{fmt, sync::Arc, time::Duration};

/// What went wrong, in the words that a policy's `.on(…)` uses.
///
/// The tables that map SQLSTATE and SQLite's extended codes to a kind stand in `docs/rules.md`; text is never read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Kind {
    /// Contention: the database chose this transaction as the victim of a deadlock.
    Deadlock,
    /// Contention: the transaction could not be serialized with another one.
    Serialization,
    /// Contention: a lock was not granted in time, or at all (`NOWAIT`, `SQLITE_BUSY`).
    LockTimeout,
    /// The connection was lost, or could not be made.
    ConnectionLost,
    /// A provider asked to be called less often. It has not done what was asked.
    RateLimited,
    /// A provider did not answer properly. It may have done what was asked.
    Unavailable,
    /// The database ended a statement that took too long. Never retried: it would take as long again.
    StatementTimeout,
    /// The attempt took longer than its `attempt_timeout`. Never retried: it would take as long again.
    AttemptTimeout,
    /// Every connection of the pool was in use. Never retried: a replay would join the same queue.
    PoolExhausted,
    /// The unit or call was made inside the body of another one, which would have replayed it after it had taken effect.
    Nested,
    /// The run that called a fenced unit does not hold its lease any more. Never retried: another run is at work.
    LeaseLost,
    /// Anything else. Never retried.
    Other,
}

impl Kind {
    /// In the order of the variants.
    pub(super) const ALL: [Self; 12] = [
        Self::Deadlock,
        Self::Serialization,
        Self::LockTimeout,
        Self::ConnectionLost,
        Self::RateLimited,
        Self::Unavailable,
        Self::StatementTimeout,
        Self::AttemptTimeout,
        Self::PoolExhausted,
        Self::Nested,
        Self::LeaseLost,
        Self::Other,
    ];
    pub(super) const COUNT: usize = Self::ALL.len();

    /// The position in [`Kind::ALL`].
    pub(crate) const fn index(self) -> usize {
        self as usize
    }

    /// The word for this kind in policies, logs and metrics.
    ///
    /// ```
    /// assert_eq!(steadfast::Kind::LockTimeout.as_str(), "lock_timeout");
    /// ```
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Deadlock => "deadlock",
            Self::Serialization => "serialization",
            Self::LockTimeout => "lock_timeout",
            Self::ConnectionLost => "connection_lost",
            Self::RateLimited => "rate_limited",
            Self::Unavailable => "unavailable",
            Self::StatementTimeout => "statement_timeout",
            Self::AttemptTimeout => "attempt_timeout",
            Self::PoolExhausted => "pool_exhausted",
            Self::Nested => "nested",
            Self::LeaseLost => "lease_lost",
            Self::Other => "other",
        }
    }

    /// Whether this is one of the three kinds that `.on(contention)` stands for.
    #[must_use]
    pub const fn is_contention(self) -> bool {
        matches!(self, Self::Deadlock | Self::Serialization | Self::LockTimeout)
    }

    /// Whether a policy's `.on(…)` could name it: all that is ever retried.
    pub(crate) const fn may_be_retried(self) -> bool {
        self.is_contention() || matches!(self, Self::ConnectionLost | Self::RateLimited | Self::Unavailable)
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A failure as the retry decision sees it: its kind, and how long a provider asked to wait.
///
/// ```
/// use std::time::Duration;
/// use steadfast::{Failure, Kind};
///
/// let failure = Failure::of(Kind::RateLimited).with_retry_after(Duration::from_secs(2));
/// assert!(failure.is_retryable());
/// assert_eq!(failure.retry_after, Some(Duration::from_secs(2)));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Failure {
    /// What went wrong.
    pub kind: Kind,
    /// How long the other side asked to wait, if it did.
    pub retry_after: Option<Duration>,
}

impl Failure {
    /// A failure of this kind, without a wish of the other side.
    #[must_use]
    pub const fn of(kind: Kind) -> Self {
        Self { kind, retry_after: None }
    }

    /// The same failure with the wait that the other side asked for.
    #[must_use]
    pub const fn with_retry_after(self, wait: Duration) -> Self {
        Self { retry_after: Some(wait), ..self }
    }

    /// Whether a later attempt could succeed.
    ///
    /// This is not the question that decides a replay: whether one is *safe* depends on the policy and on what the unit
    /// promises (`docs/rules.md#could-and-may-are-two-questions`).
    #[must_use]
    pub const fn is_retryable(&self) -> bool {
        !matches!(self.kind, Kind::Nested | Kind::LeaseLost | Kind::Other)
    }
}

/// What an error means to a retry policy. Derived on an application's error enum.
///
/// `None` is a domain error: the answer of the application itself, never retried.
///
/// ```
/// use steadfast::{Classify, Failure, Kind};
///
/// #[derive(Debug, Classify)]
/// enum MailError {
///     UnknownRecipient,
///     #[classify(rate_limited)]
///     TooMany,
/// }
///
/// assert_eq!(MailError::UnknownRecipient.failure(), None);
/// assert_eq!(MailError::TooMany.failure(), Some(Failure::of(Kind::RateLimited)));
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not say which of its failures may be retried",
    label = "this error type is not classified",
    note = "derive it on your error enum, for example `#[derive(Debug, thiserror::Error, steadfast::Classify)]`",
    note = "for a type of another crate say it where it is wrapped, for example `#[classify(with = path)]` or `#[classify(domain)]`"
)]
pub trait Classify {
    /// The failure behind this error, or `None` for a domain error.
    fn failure(&self) -> Option<Failure>;
}

/// What `#[classify(…, retry_after = field)]` may name.
#[diagnostic::on_unimplemented(
    message = "`retry_after` names a field of type `Duration` or `Option<Duration>`, not `{Self}`",
    label = "this field is no `Duration`",
    note = "make it one where the answer is read, for example `wait: Duration::from_secs(seconds)`"
)]
pub trait RetryAfter {
    /// How long the server asked to wait, if it did.
    fn retry_after(&self) -> Option<Duration>;
}

impl RetryAfter for Duration {
    fn retry_after(&self) -> Option<Duration> {
        Some(*self)
    }
}

impl RetryAfter for Option<Duration> {
    fn retry_after(&self) -> Option<Duration> {
        *self
    }
}

impl<E: Classify + ?Sized> Classify for Box<E> {
    fn failure(&self) -> Option<Failure> {
        (**self).failure()
    }
}

impl<E: Classify + ?Sized> Classify for Arc<E> {
    fn failure(&self) -> Option<Failure> {
        (**self).failure()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_listed_in_their_order() {
        for (index, kind) in Kind::ALL.iter().enumerate() {
            assert_eq!(kind.index(), index, "{kind}");
        }
    }
}
