//! How an attempt ended.

use std::{convert::Infallible, error::Error};

use super::hooks::Hooks;
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

impl<T, E> Ended<T, E> {
    /// The body returned this error, and nothing is applied; `failure` is what it means, if it is none of the application's own.
    pub(super) fn by_body(error: E, failure: Option<Failure>, code: Option<Box<str>>) -> Self {
        match failure {
            None => Self::Domain(error),
            Some(failure) => Self::Failed(Failed {
                failure,
                phase: Phase::Body,
                outcome: Outcome::NotApplied,
                code,
                error: Reported::Body(error),
            }),
        }
    }
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

/// A transaction, and the server that it belongs to: its number alone can name another one after a failover or a crash.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TransactionId {
    pub(crate) number: String,
    /// What the server's data come from; a promoted standby has another.
    pub(crate) history: String,
    /// From one start or crash of the server to the next.
    pub(crate) life: String,
}
