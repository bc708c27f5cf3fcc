//! What `#[provider_call]` expands into: work that is not a transaction, tried again by a named policy.

use std::{future::Future, ops::ControlFlow, time::Duration};

use super::{
    Answer, Attempts, Declaration, Failure, Kind, Scope, Stopped, UnitError, UnitFailure, Wait, deadline::has_passed,
    inside, scope,
};
use crate::telemetry;

/// The state of one call: eight bytes, and no allocation before the first failure.
#[derive(Debug)]
pub struct Call(Attempts);

/// How the runtime speaks to the user's error type.
#[derive(Debug)]
pub struct ErrorFns<E> {
    classify: fn(&E) -> Option<Failure>,
    from: fn(UnitFailure) -> E,
}

trait HasErrorFns: Sized + 'static {
    const FNS: &'static ErrorFns<Self>;
}

impl<E: UnitError + 'static> HasErrorFns for E {
    const FNS: &'static ErrorFns<E> = &ErrorFns { classify: E::failure, from: E::from };
}

/// The only bound on the user's error. Expansions say it twice with the same tokens, which rustc reports once; kept in [`Call`]
/// it would take room in every future.
#[inline]
#[must_use]
pub const fn error_fns<E: UnitError + 'static>() -> &'static ErrorFns<E> {
    E::FNS
}

/// Starts a call.
#[inline]
#[must_use]
pub const fn call() -> Call {
    Call(Attempts::new())
}

impl Call {
    /// `Some` when the call is not made: inside another scope, which would replay it after it took effect, or when its
    /// caller has no time left.
    #[inline]
    #[must_use]
    pub fn refused<E>(&self, declaration: &'static Declaration, error: &'static ErrorFns<E>) -> Option<E> {
        if declaration.settings.answer == Answer::None && inside() {
            return Some((error.from)(UnitFailure::nested(declaration.name)));
        }
        if has_passed() {
            telemetry::attempts::call_failed(declaration, Kind::AttemptTimeout, 0, Duration::ZERO, Stopped::Deadline);
            return Some((error.from)(UnitFailure::too_late(declaration.name)));
        }
        // Inside another scope it is not retried, so it earns no retry.
        if declaration.extras.budget.is_some() && !inside() {
            declaration.earn();
        }
        None
    }

    /// The body under a retry scope.
    #[inline]
    pub fn body<F: Future>(&self, body: F) -> Scope<F> {
        scope(body)
    }

    /// The end of an attempt: the answer, or another attempt after [`wait`](Self::wait).
    #[inline]
    pub fn next<T, E>(
        &mut self,
        declaration: &'static Declaration,
        error: &'static ErrorFns<E>,
        result: Result<T, E>,
    ) -> ControlFlow<Result<T, E>> {
        match result {
            Ok(value) => ControlFlow::Break(Ok(value)),
            Err(failed) if (error.classify)(&failed).is_some_and(|failure| self.again(declaration, failure)) => {
                ControlFlow::Continue(())
            }
            Err(failed) => ControlFlow::Break(Err(failed)),
        }
    }

    /// Waits before the next attempt.
    #[inline]
    pub fn wait(&mut self) -> Wait<'_> {
        self.0.wait()
    }

    #[cold]
    fn again(&mut self, declaration: &'static Declaration, failure: Failure) -> bool {
        let attempts = &mut self.0;
        telemetry::attempts::call_attempt_failed(declaration, failure.kind);
        if inside() {
            // The call ran once and hands its failure up: one layer retries a failure, and reports it.
            return false;
        }
        attempts
            .again(declaration, failure)
            .inspect_err(|stopped| {
                let (count, waited) = (attempts.count(), attempts.waited());
                telemetry::attempts::call_failed(declaration, failure.kind, count, waited, *stopped);
            })
            .is_ok()
    }
}
