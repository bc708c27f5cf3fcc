//! The failure that the runtime itself reports for a unit.

use std::{error::Error, fmt, time::Duration};

use super::{Classify, Failure, Kind, Stopped};

/// How far a unit had come when it failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Phase {
    /// Taking a connection from the pool.
    Acquire,
    /// Beginning the transaction.
    Begin,
    /// Running the body.
    Body,
    /// Committing.
    Commit,
}

impl Phase {
    /// The word for this phase in logs and metrics.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Acquire => "acquire",
            Self::Begin => "begin",
            Self::Body => "body",
            Self::Commit => "commit",
        }
    }
}

/// What is known of the effects of a unit that failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Outcome {
    /// Nothing of the unit was applied.
    NotApplied,
    /// Nobody knows: the answer to COMMIT was lost, or was none that the engine documents as a refusal.
    InDoubt,
}

impl Outcome {
    /// The word for this outcome in logs and metrics.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::NotApplied => "not_applied",
            Self::InDoubt => "in_doubt",
        }
    }
}

/// A unit that did not commit: how far it came, what is known of its effects, and the last real error as its source.
///
/// A unit's error type takes it in: `#[classify(transparent)] Unit(#[from] UnitFailure)`.
///
/// ```
/// use steadfast::{Outcome, UnitFailure};
///
/// fn must_look(failure: &UnitFailure) -> bool {
///     failure.outcome() == Outcome::InDoubt
/// }
/// ```
pub struct UnitFailure(Box<Facts>);

/// Boxed: an application's error type, its results and its futures stay small.
pub(crate) struct Facts {
    pub(crate) unit: &'static str,
    pub(crate) failure: Failure,
    pub(crate) phase: Phase,
    pub(crate) outcome: Outcome,
    pub(crate) attempts: u32,
    pub(crate) waited: Duration,
    pub(crate) stopped: Stopped,
    pub(crate) source: Option<Box<dyn Error + Send + Sync>>,
}

impl From<Facts> for UnitFailure {
    fn from(facts: Facts) -> Self {
        Self(Box::new(facts))
    }
}

impl UnitFailure {
    /// A unit or call that was made inside the body of another one; it did not run.
    pub(crate) fn nested(unit: &'static str) -> Self {
        Self::not_run(unit, Kind::Nested, Stopped::NotRetried)
    }

    /// A unit or call whose caller had no time left; it did not run.
    pub(crate) fn too_late(unit: &'static str) -> Self {
        Self::not_run(unit, Kind::AttemptTimeout, Stopped::Deadline)
    }

    fn not_run(unit: &'static str, kind: Kind, stopped: Stopped) -> Self {
        Facts {
            unit,
            failure: Failure::of(kind),
            phase: Phase::Acquire,
            outcome: Outcome::NotApplied,
            attempts: 0,
            waited: Duration::ZERO,
            stopped,
            source: None,
        }
        .into()
    }

    /// The path of the function, for example `shop::billing::close_trial`.
    #[must_use]
    pub fn unit(&self) -> &'static str {
        self.0.unit
    }

    /// What went wrong.
    #[must_use]
    pub fn kind(&self) -> Kind {
        self.0.failure.kind
    }

    /// How far the last attempt had come.
    #[must_use]
    pub fn phase(&self) -> Phase {
        self.0.phase
    }

    /// What is known of the unit's effects.
    #[must_use]
    pub fn outcome(&self) -> Outcome {
        self.0.outcome
    }

    /// How often the unit was tried: retries + 1, or 0 when it did not run at all.
    #[must_use]
    pub fn attempts(&self) -> u32 {
        self.0.attempts
    }

    /// The time spent between attempts.
    #[must_use]
    pub fn waited(&self) -> Duration {
        self.0.waited
    }

    /// Why there was no further attempt.
    #[must_use]
    pub fn stopped(&self) -> Stopped {
        self.0.stopped
    }
}

impl fmt::Display for UnitFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Facts { unit, attempts, .. } = &*self.0;
        if self.kind() == Kind::Nested {
            return write!(
                f,
                "`{unit}` was called inside another unit or call, which would have replayed it after it had committed; \
                 call it before or after that one, or make it a function that takes `&mut Tx<'_>`"
            );
        }
        if self.outcome() == Outcome::InDoubt {
            return write!(
                f,
                "`{unit}` is in doubt after {}: the answer to COMMIT does not say whether it was applied; look before you repeat it",
                Attempts(*attempts)
            );
        }
        if *attempts == 0 {
            return write!(f, "`{unit}` was not called, its caller's deadline has passed; give `within` more time");
        }
        let (kind, phase) = (self.kind(), self.phase().as_str());
        write!(f, "`{unit}` was not applied after {}: {kind} in {phase}", Attempts(*attempts))?;
        match self.stopped() {
            Stopped::NotRetried | Stopped::Spent => Ok(()),
            Stopped::Deadline => f.write_str("; the caller's deadline left no time for another attempt"),
            Stopped::RetryAfter => f.write_str("; the wait that was asked for is longer than the time there is"),
            Stopped::Budget => f.write_str("; the policy's budget of retries is used up"),
            Stopped::Durable => f.write_str("; a durable retrier tries it again"),
        }
    }
}

/// `1 attempt`, `4 attempts`.
struct Attempts(u32);

impl fmt::Display for Attempts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} attempt{}", self.0, if self.0 == 1 { "" } else { "s" })
    }
}

/// By hand: a driver's own `Debug` prints the values of the row that a constraint refused.
impl fmt::Debug for UnitFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("UnitFailure")
            .field("unit", &self.0.unit)
            .field("kind", &self.0.failure.kind)
            .field("phase", &self.0.phase)
            .field("outcome", &self.0.outcome)
            .field("attempts", &self.0.attempts)
            .field("stopped", &self.0.stopped)
            .field("source", &self.0.source.as_ref().map(ToString::to_string))
            .finish_non_exhaustive()
    }
}

impl Error for UnitFailure {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.0.source.as_deref().map(|source| source as _)
    }
}

impl Classify for UnitFailure {
    fn failure(&self) -> Option<Failure> {
        Some(self.0.failure)
    }
}

/// The one place that says what a unit's error type needs, so that one mistake is one message.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the error type of a unit",
    label = "the runtime reports begin, commit and in-doubt failures through this type",
    note = "it needs `#[derive(steadfast::Classify)]` and a variant `#[classify(transparent)] Unit(#[from] steadfast::UnitFailure)`",
    note = "a type of another crate cannot have them: wrap it in an enum of yours, or use `anyhow::Error` with steadfast's feature `anyhow`"
)]
pub trait UnitError: Classify + From<UnitFailure> {}

#[diagnostic::do_not_recommend]
impl<E: Classify + From<UnitFailure>> UnitError for E {}
