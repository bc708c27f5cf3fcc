//! What `#[atomic_unit]` expands into: one attempt after another, and the decision what follows each.

use std::{future::Future, ops::ControlFlow, time::Duration};

use tracing::Span;

use super::{
    attempt::{Begins, Ends, Refused, Remembers},
    body::Body,
    ended::{Committed, Ended, Failed, Reported},
    gate,
    timer::Timer,
};
use crate::{
    retry::{
        Answer, Attempts, Declaration, Facts, Failure, Kind, Outcome, Phase, Policy, Stopped, UnitError, UnitFailure,
        has_passed, inside, remaining,
    },
    telemetry,
};

/// The state of one unit, over all its attempts.
#[derive(Debug)]
pub struct Unit<E> {
    pub(super) declaration: &'static Declaration,
    attempts: Attempts,
    /// The attempt whose COMMIT may have been applied, once a later one follows it.
    doubt: Option<Box<Failed<E>>>,
    /// Under a deadline: how the attempt before failed. That the time was over says less.
    before: Option<Box<Failed<E>>>,
    /// Whether it has been looked at whether the unit may run.
    begun: bool,
    /// Of the attempt under way.
    pub(super) timer: Timer,
    /// With `.gate()`, once it came.
    turn: Option<gate::Turn>,
    span: Span,
    classify: fn(&E) -> Option<Failure>,
    from: fn(UnitFailure) -> E,
}

/// Starts a unit. The only bound on the user's error: one mistake, one message.
#[must_use]
pub fn unit<E: UnitError>(declaration: &'static Declaration) -> Unit<E> {
    Unit {
        declaration,
        attempts: Attempts::new(),
        doubt: None,
        before: None,
        begun: false,
        timer: Timer::default(),
        turn: None,
        span: telemetry::units::unit_span(declaration),
        classify: E::failure,
        from: E::from,
    }
}

// `&mut self` throughout: a shared reference over an `await` would have to be `Sync`.
impl<E> Unit<E> {
    /// `Some` when the unit does not run: inside of another one, since it would commit on its own and again at the outer
    /// replay, or when its caller has no time left.
    fn refused_to_run(&self) -> Option<E> {
        let name = self.declaration.name;
        if inside() {
            return Some((self.from)(UnitFailure::nested(name)));
        }
        if has_passed() {
            let (kind, phase, outcome) = (Kind::AttemptTimeout, Phase::Acquire, Outcome::NotApplied);
            let (code, waited, stopped) = (None, Duration::ZERO, Stopped::Deadline);
            telemetry::units::unit_failed(self.declaration, &self.span, kind, phase, outcome, code, 0, waited, stopped);
            return Some((self.from)(UnitFailure::too_late(name)));
        }
        self.declaration.earn();
        None
    }

    /// Starts an attempt: takes a connection and begins.
    ///
    /// # Errors
    ///
    /// What refused it: nothing of the unit has run.
    pub async fn open<'c, C: Begins>(
        &mut self,
        checkout: &'c mut C,
        pool: &C::Pool,
    ) -> Result<C::Open<'c>, Refusal<E>> {
        if !self.begun {
            self.begun = true;
            if let Some(error) = self.refused_to_run() {
                return Err(Refusal::Unit(error));
            }
        }
        let Declaration { policy, name, .. } = self.declaration;
        // Who comes later queues up as well: it would take the rows from under the one whose turn it is.
        if policy.is_gated() && self.turn.is_none() && gate::is_busy(name) {
            self.turn = gate::turn(name, patience(policy)).await;
        }
        let mut settings = self.declaration.settings;
        // The caller's deadline bounds every attempt, on the server as well.
        settings.attempt_timeout = settings.attempt_timeout.into_iter().chain(remaining()).min();
        self.timer = Timer::start(settings.attempt_timeout);
        checkout.begin(pool, &settings, &mut self.timer).await.map_err(Refusal::Attempt)
    }

    /// The body, in the unit's span and under a retry scope; `None` when it took too long.
    pub const fn body<F: Future>(&mut self, body: F) -> Body<'_, F> {
        Body::new(body, &mut self.timer, &self.span)
    }

    /// The end of an attempt that could not begin.
    #[must_use]
    pub fn refused<T>(&self, refusal: Refusal<E>) -> Ended<T, E> {
        let Refused { phase, failure, code, error } = match refusal {
            Refusal::Attempt(refused) => refused,
            Refusal::Unit(error) => return Ended::Refused(error),
        };
        Ended::Failed(Failed { failure, ..Failed::not_applied(failure.kind, phase, error).with_code(code) })
    }

    /// Commits or rolls back.
    // The future of the end itself: one around it would be one more for each unit of a crate.
    pub fn finish<O: Ends, T>(&mut self, open: O, result: Option<Result<T, E>>) -> impl Future<Output = Ended<T, E>> {
        open.end(self.declaration, &mut self.timer, result, self.classify)
    }

    /// What follows: the answer, or another attempt after the policy's gap. Nothing is held meanwhile.
    pub async fn next<C: Begins<Pool: Remembers>, T>(
        &mut self,
        ended: Ended<T, E>,
        checkout: C,
        pool: &C::Pool,
    ) -> ControlFlow<Result<T, E>> {
        checkout.release().await;
        let failed = match ended {
            Ended::Refused(error) => return ControlFlow::Break(Err(error)),
            Ended::Committed(committed) => return self.committed(committed).await,
            Ended::Domain(error) => {
                if let Some(doubt) = self.doubt.take() {
                    return ControlFlow::Break(Err(self.report(*doubt, Stopped::NotRetried)));
                }
                telemetry::units::domain_error(self.declaration, &self.span, self.attempts.count());
                return ControlFlow::Break(Err(error));
            }
            Ended::Failed(failed) => failed,
            Ended::Lost(committed, id, failed) => match pool.committed(&id).await {
                Some(true) => return self.committed(committed).await,
                Some(false) => Failed { outcome: Outcome::NotApplied, ..failed },
                None => failed,
            },
        };
        let Failed { failure, phase, outcome, .. } = &failed;
        let (failure, outcome) = (*failure, *outcome);
        telemetry::units::attempt_failed(self.declaration, failure.kind, *phase);
        if let Err(stopped) = self.again(failure, outcome) {
            let nothing_applied = outcome == Outcome::NotApplied;
            let told = match (self.doubt.take(), self.before.take()) {
                // That this attempt applied nothing says nothing of the one in doubt.
                (Some(doubt), _) if nothing_applied => *doubt,
                // Cut off by the deadline: what is to be mended is why there was a second attempt.
                (_, Some(before))
                    if nothing_applied && stopped == Stopped::Deadline && failure.kind == Kind::AttemptTimeout =>
                {
                    *before
                }
                _ => failed,
            };
            return ControlFlow::Break(Err(self.report(told, stopped)));
        }
        if outcome == Outcome::InDoubt && self.declaration.settings.answer != Answer::Read {
            self.doubt = Some(Box::new(failed));
        } else if remaining().is_some() {
            self.before = Some(Box::new(failed));
        }
        self.wait(failure).await;
        ControlFlow::Continue(())
    }

    async fn committed<T>(&mut self, Committed { value, hooks }: Committed<T>) -> ControlFlow<Result<T, E>> {
        telemetry::units::committed(self.declaration, &self.span, self.attempts.count());
        self.turn = None;
        hooks.run().await;
        ControlFlow::Break(Ok(value))
    }

    fn again(&mut self, failure: Failure, outcome: Outcome) -> Result<(), Stopped> {
        // A replay after a COMMIT that may have been applied is harmless only where the unit says so.
        if outcome == Outcome::InDoubt && !self.declaration.settings.answer.is_idempotent() {
            return Err(Stopped::NotRetried);
        }
        if failure.kind == Kind::AttemptTimeout && has_passed() {
            return Err(Stopped::Deadline);
        }
        self.attempts.again(self.declaration, failure).map(drop)
    }

    /// The policy's gap; behind a gate, the wait for the unit's turn.
    async fn wait(&mut self, failure: Failure) {
        let Declaration { policy, name, .. } = self.declaration;
        if !policy.is_gated() || !failure.kind.is_contention() {
            return self.attempts.wait().await;
        }
        // Nobody sleeps while others wait for the turn. Whoever fails alone, or for the last time, has met another process.
        let last = self.attempts.count() == policy.attempts();
        if self.turn.take().is_some_and(|turn| last || !turn.is_wanted()) {
            self.attempts.wait().await;
        }
        self.turn = gate::turn(name, patience(policy)).await;
    }

    fn report(&self, failed: Failed<E>, stopped: Stopped) -> E {
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
            stopped,
        );
        match error {
            Reported::Body(error) => error,
            Reported::Unit(source) => {
                let unit = declaration.name;
                let facts = Facts { unit, failure, phase, outcome, attempts, waited, stopped, source: Some(source) };
                (self.from)(facts.into())
            }
        }
    }
}

/// Why the body does not run.
#[derive(Debug)]
pub enum Refusal<E> {
    /// The unit is not run at all.
    Unit(E),
    /// This attempt could not begin.
    Attempt(Refused),
}

/// How long a unit waits for its turn.
fn patience(policy: &Policy) -> Duration {
    let longest = policy.longest_wait();
    remaining().map_or(longest, |left| left.min(longest))
}
