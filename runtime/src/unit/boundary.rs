//! What `#[atomic_unit]` expands into: the end of an attempt, and the decision what follows it.

use std::{error::Error, fmt, future::Future, ops::ControlFlow};

use tracing::{Instrument, Span, instrument::Instrumented};

use super::{
    Engine, Tx,
    checkout::{Refused, State},
    engine::{Verdict, code},
    tx::RefusedStatement,
};
use crate::{
    retry::{
        Answer, Attempts, Declaration, Facts, Failure, Kind, Outcome, Phase, Scope, UnitError, UnitFailure, inside,
        scope,
    },
    telemetry,
};

type BoxError = Box<dyn Error + Send + Sync>;

/// The state of one unit, over all its attempts.
#[derive(Debug)]
pub struct Unit<E> {
    declaration: &'static Declaration,
    attempts: Attempts,
    /// The attempt whose COMMIT may have been applied, once a later one follows it.
    doubt: Option<Box<Failed<E>>>,
    span: Span,
    classify: fn(&E) -> Option<Failure>,
    from: fn(UnitFailure) -> E,
}

/// Starts a unit. The only bound on the user's error: one mistake, one message.
#[must_use]
pub fn unit<E: UnitError>(declaration: &'static Declaration) -> Unit<E> {
    let span = telemetry::units::unit_span(declaration);
    Unit { declaration, attempts: Attempts::new(), doubt: None, span, classify: E::failure, from: E::from }
}

/// How an attempt ended.
#[derive(Debug)]
pub enum Ended<T, E> {
    /// COMMIT was acknowledged.
    Committed(T),
    /// The body answered with an error that is none of the database.
    Domain(E),
    /// Something failed.
    Failed(Failed<E>),
}

/// What is known of an attempt that failed.
#[derive(Debug)]
pub struct Failed<E> {
    failure: Failure,
    phase: Phase,
    outcome: Outcome,
    code: Option<Box<str>>,
    error: Reported<E>,
}

/// Whose error it is that the caller gets.
#[derive(Debug)]
enum Reported<E> {
    /// The body's own.
    Body(E),
    /// The runtime's, with its cause.
    Unit(BoxError),
}

impl<E> Unit<E> {
    /// `Some` when the unit was called inside of another one: it would commit on its own and again at the outer replay.
    #[must_use]
    pub fn nested(&self) -> Option<E> {
        inside().then(|| (self.from)(UnitFailure::nested(self.declaration.name)))
    }

    /// The body, in the unit's span and under a retry scope.
    pub fn body<F: Future>(&self, body: F) -> Instrumented<Scope<F>> {
        scope(body).instrument(self.span.clone())
    }

    /// The end of an attempt that could not begin.
    pub fn refused<T>(&self, refused: Refused) -> Ended<T, E> {
        let Refused { phase, failure, error } = refused;
        let code = code(&error).map(Into::into);
        Ended::Failed(Failed {
            failure,
            phase,
            outcome: Outcome::NotApplied,
            code,
            error: Reported::Unit(error.into()),
        })
    }

    /// Commits or rolls back. `&mut`, since a shared reference over an `await` would have to be `Sync`.
    pub async fn finish<DB: Engine, T>(&mut self, tx: Tx<'_, DB>, result: Result<T, E>) -> Ended<T, E> {
        if tx.seen.unanswered && result.is_ok() {
            roll_back(tx).await;
            return Ended::Failed(Failed {
                failure: Failure::of(Kind::Other),
                phase: Phase::Body,
                outcome: Outcome::NotApplied,
                code: None,
                error: Reported::Unit(Box::new(Unanswered)),
            });
        }
        match (result, &tx.seen.refused) {
            (Ok(value), None) => commit(self.declaration, tx, value).await,
            (Ok(_), Some(refused)) => {
                let refused = refused.clone();
                roll_back(tx).await;
                let RefusedStatement { kind, code } = refused.clone();
                Ended::Failed(Failed {
                    failure: Failure::of(kind),
                    phase: Phase::Body,
                    outcome: Outcome::NotApplied,
                    code,
                    error: Reported::Unit(Box::new(Swallowed(refused))),
                })
            }
            (Err(error), refused) => {
                // What the transaction saw decides, whatever the body made of it.
                let (failure, code) = match refused.clone() {
                    Some(RefusedStatement { kind, code }) => (Some(Failure::of(kind)), code),
                    None => ((self.classify)(&error), None),
                };
                let had_ended = roll_back(tx).await;
                let outcome = if had_ended { Outcome::InDoubt } else { Outcome::NotApplied };
                match failure {
                    None if !had_ended => Ended::Domain(error),
                    failure => Ended::Failed(Failed {
                        failure: failure.unwrap_or(Failure::of(Kind::Other)),
                        phase: Phase::Body,
                        outcome,
                        code,
                        error: if had_ended {
                            Reported::Unit(Box::new(EndedUnderneath))
                        } else {
                            Reported::Body(error)
                        },
                    }),
                }
            }
        }
    }

    /// What follows: the answer, or another attempt after the policy's gap. Nothing is held meanwhile.
    pub async fn next<T>(&mut self, ended: Ended<T, E>) -> ControlFlow<Result<T, E>> {
        let failed = match ended {
            Ended::Committed(value) => {
                telemetry::units::committed(self.declaration, &self.span, self.attempts.count());
                return ControlFlow::Break(Ok(value));
            }
            Ended::Domain(error) => {
                if let Some(doubt) = self.doubt.take() {
                    return ControlFlow::Break(Err(self.report(*doubt)));
                }
                telemetry::units::domain_error(self.declaration, &self.span, self.attempts.count());
                return ControlFlow::Break(Err(error));
            }
            Ended::Failed(failed) => failed,
        };
        if !self.again(&failed) {
            // That this attempt applied nothing says nothing of the one in doubt.
            let told = match self.doubt.take() {
                Some(doubt) if failed.outcome == Outcome::NotApplied => *doubt,
                _ => failed,
            };
            return ControlFlow::Break(Err(self.report(told)));
        }
        if failed.outcome == Outcome::InDoubt && self.declaration.answer != Answer::Read {
            self.doubt = Some(Box::new(failed));
        }
        self.attempts.wait().await;
        ControlFlow::Continue(())
    }

    fn again(&mut self, failed: &Failed<E>) -> bool {
        let Failed { failure, phase, outcome, .. } = failed;
        telemetry::units::attempt_failed(self.declaration, failure.kind, *phase);
        // A replay after a COMMIT that may have been applied is harmless only where the unit says so.
        if *outcome == Outcome::InDoubt && !self.declaration.answer.is_idempotent() {
            return false;
        }
        let gap = self.attempts.again(&self.declaration.policy, *failure);
        if let Some(gap) = gap {
            telemetry::attempts::waiting(self.declaration, gap);
        }
        gap.is_some()
    }

    fn report(&self, failed: Failed<E>) -> E {
        let Failed { failure, phase, outcome, code, error } = failed;
        let (attempts, waited) = (self.attempts.count(), self.attempts.waited());
        let (declaration, span) = (self.declaration, &self.span);
        telemetry::units::unit_failed(
            declaration,
            span,
            failure.kind,
            phase,
            outcome,
            code.as_deref(),
            attempts,
            waited,
        );
        match error {
            Reported::Body(error) => error,
            Reported::Unit(source) => {
                let unit = declaration.name;
                let facts = Facts { unit, failure, phase, outcome, attempts, waited, source: Some(source) };
                (self.from)(facts.into())
            }
        }
    }
}

async fn commit<DB: Engine, T, E>(declaration: &'static Declaration, tx: Tx<'_, DB>, value: T) -> Ended<T, E> {
    let Tx { transaction, state, seen } = tx;
    *state = State::Committing(declaration);
    match transaction.commit().await {
        Ok(()) => {
            *state = if seen.evict { State::Broken } else { State::Clean };
            Ended::Committed(value)
        }
        Err(error) => {
            let Verdict { kind, evict } = DB::verdict(&error);
            *state = if evict { State::Broken } else { State::Begun };
            let outcome = if DB::refuses_commit(&error) { Outcome::NotApplied } else { Outcome::InDoubt };
            let code = code(&error).map(Into::into);
            let error = Reported::Unit(error.into());
            Ended::Failed(Failed { failure: Failure::of(kind), phase: Phase::Commit, outcome, code, error })
        }
    }
}

/// Rolls back; the connection is clean only when that was acknowledged. `true` when a transaction in which no statement
/// failed had ended before: something inside committed it.
async fn roll_back<DB: Engine>(tx: Tx<'_, DB>) -> bool {
    let Tx { transaction, state, seen } = tx;
    match transaction.rollback().await {
        Ok(()) if !seen.evict => {
            *state = State::Clean;
            false
        }
        Err(error) if seen.refused.is_none() => DB::had_ended(&error),
        _ if seen.evict => {
            *state = State::Broken;
            false
        }
        _ => false,
    }
}

/// The body returned `Ok` although a statement had failed.
#[derive(Debug)]
struct Swallowed(RefusedStatement);

impl fmt::Display for Swallowed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a statement failed and the body returned `Ok`")?;
        if let Some(code) = &self.0.code {
            write!(f, " (code {code})")?;
        }
        f.write_str("; return its error, for example with `?`")
    }
}

impl Error for Swallowed {}

/// The body returned `Ok` although it had dropped a statement before its answer.
#[derive(Debug)]
struct Unanswered;

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
struct EndedUnderneath;

impl fmt::Display for EndedUnderneath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the transaction had ended before the body returned; leave BEGIN and COMMIT to the runtime")
    }
}

impl Error for EndedUnderneath {}
