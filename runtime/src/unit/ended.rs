//! How an attempt ended.

use std::{convert::Infallible, error::Error, fmt};

use super::{engine::TransactionId, hooks::Hooks, tx::RefusedStatement};
use crate::retry::{Failure, Kind, Outcome, Phase};

pub(super) type BoxError = Box<dyn Error + Send + Sync>;

/// How an attempt ended.
#[derive(Debug)]
pub enum Ended<T, E> {
    /// The unit did not run; its caller has been told what for.
    Refused(E),
    /// COMMIT was acknowledged.
    Committed(Committed<T>),
    /// The body answered with an error that is none of the database.
    Domain(E),
    /// Something failed.
    Failed(Failed<E>),
    /// The answer to COMMIT was lost, and the server can be asked.
    Lost(Committed<T>, TransactionId, Failed<E>),
}

/// What the body returned, and what it left for after COMMIT.
#[derive(Debug)]
pub struct Committed<T> {
    pub(super) value: T,
    pub(super) hooks: Hooks,
}

/// What is known of an attempt that failed.
#[derive(Debug)]
pub struct Failed<E> {
    pub(super) failure: Failure,
    pub(super) phase: Phase,
    pub(super) outcome: Outcome,
    pub(super) code: Option<Box<str>>,
    pub(super) error: Reported<E>,
}

/// Whose error it is that the caller gets.
#[derive(Debug)]
pub(super) enum Reported<E> {
    /// The body's own.
    Body(E),
    /// The runtime's, with its cause.
    Unit(BoxError),
}

impl Ended<(), Infallible> {
    /// The same of a body that returned this, if it is committed.
    pub(super) fn with<T, E>(self, value: T) -> Ended<T, E> {
        let committed = |Committed { value: (), hooks }, value| Committed { value, hooks };
        match self {
            Self::Committed(done) => Ended::Committed(committed(done, value)),
            Self::Failed(failed) => Ended::Failed(failed.of_any()),
            Self::Lost(done, id, failed) => Ended::Lost(committed(done, value), id, failed.of_any()),
            Self::Refused(never) | Self::Domain(never) => match never {},
        }
    }
}

impl Failed<Infallible> {
    /// A failure of the runtime's own, of whatever unit.
    fn of_any<E>(self) -> Failed<E> {
        let Self { failure, phase, outcome, code, error } = self;
        let error = match error {
            Reported::Unit(error) => Reported::Unit(error),
            Reported::Body(never) => match never {},
        };
        Failed { failure, phase, outcome, code, error }
    }
}

impl<E> Failed<E> {
    /// A failure that the runtime reports, before anything could have been applied.
    pub(super) fn not_applied(kind: Kind, phase: Phase, error: impl Into<BoxError>) -> Self {
        Self {
            failure: Failure::of(kind),
            phase,
            outcome: Outcome::NotApplied,
            code: None,
            error: Reported::Unit(error.into()),
        }
    }

    pub(super) fn with_code(self, code: Option<Box<str>>) -> Self {
        Self { code, ..self }
    }
}

/// The body returned `Ok` although a statement had failed.
#[derive(Debug)]
pub(super) struct Swallowed(pub(super) RefusedStatement);

impl fmt::Display for Swallowed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a statement failed and the body returned `Ok`")?;
        if let Some(code) = &self.0.code {
            write!(f, " (code {code})")?;
        }
        f.write_str("; return its error, for example with `?`, or put the statement into a savepoint")
    }
}

impl Error for Swallowed {}

/// The body returned `Ok` although it had dropped a statement before its answer.
#[derive(Debug)]
pub(super) struct Unanswered;

impl fmt::Display for Unanswered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(
            "a statement was dropped before its answer and the body returned `Ok`; await it, or return an error",
        )
    }
}

impl Error for Unanswered {}

/// Rolling back found no transaction although nothing had failed in it.
#[derive(Debug)]
pub(super) struct EndedUnderneath;

impl fmt::Display for EndedUnderneath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the transaction had ended before the body returned; leave BEGIN and COMMIT to the runtime")
    }
}

impl Error for EndedUnderneath {}
