//! What `#[provider_call]` expands into: work that is not a transaction, tried again by a named policy.

use std::{
    future::Future,
    ops::ControlFlow,
    pin::Pin,
    task::{Context, Poll},
    time::Duration,
};

use futures_core::future::BoxFuture;

use super::{Answer, Attempts, Declaration, Failure, Scope, UnitError, UnitFailure, inside, scope};
use crate::{
    clock::{Clock, SystemClock},
    telemetry,
};

/// The state of one call: sixteen bytes, and no allocation before the first failure.
#[derive(Debug)]
pub struct Call<E: 'static> {
    attempts: Attempts,
    error: &'static ErrorFns<E>,
}

#[derive(Debug)]
struct ErrorFns<E> {
    classify: fn(&E) -> Option<Failure>,
    from: fn(UnitFailure) -> E,
}

trait HasErrorFns: Sized + 'static {
    const FNS: &'static ErrorFns<Self>;
}

impl<E: UnitError + 'static> HasErrorFns for E {
    const FNS: &'static ErrorFns<E> = &ErrorFns { classify: E::failure, from: E::from };
}

/// Starts a call. The only bound on the user's error: one mistake, one message.
#[inline]
#[must_use]
pub fn call<E: UnitError + 'static>() -> Call<E> {
    Call { attempts: Attempts::new(), error: E::FNS }
}

impl<E> Call<E> {
    /// `Some` when the call may not be made here: inside another scope, which would replay it after it took effect.
    #[inline]
    #[must_use]
    pub fn nested(&self, declaration: &'static Declaration) -> Option<E> {
        if inside() && declaration.answer == Answer::None {
            return Some((self.error.from)(UnitFailure::nested(declaration.name)));
        }
        None
    }

    /// The body under a retry scope.
    #[inline]
    pub fn body<F: Future>(&self, body: F) -> Scope<F> {
        scope(body)
    }

    /// The end of an attempt: the answer, or the wait before the next attempt.
    #[inline]
    pub fn next<T>(
        &mut self,
        declaration: &'static Declaration,
        result: Result<T, E>,
    ) -> ControlFlow<Result<T, E>, Wait> {
        match result {
            Ok(value) => ControlFlow::Break(Ok(value)),
            Err(error) => match self.failed(declaration, &error) {
                Some(wait) => ControlFlow::Continue(wait),
                None => ControlFlow::Break(Err(error)),
            },
        }
    }

    #[cold]
    fn failed(&mut self, declaration: &'static Declaration, error: &E) -> Option<Wait> {
        let failure = (self.error.classify)(error)?;
        telemetry::attempts::call_attempt_failed(declaration, failure.kind);
        if inside() {
            // The call ran once and hands its failure up: one layer retries a failure, and reports it.
            return None;
        }
        let Some(gap) = self.attempts.again(&declaration.policy, failure) else {
            telemetry::attempts::call_failed(declaration, failure.kind, self.attempts.count(), self.attempts.waited());
            return None;
        };
        telemetry::attempts::waiting(declaration, gap);
        Some(Wait::of(gap))
    }
}

/// The wait before the next attempt. A zero gap touches no timer: the shortest timer waits a whole tick.
#[must_use = "a wait does nothing unless it is awaited"]
pub struct Wait(Option<BoxFuture<'static, ()>>);

impl Wait {
    pub(crate) fn of(gap: Duration) -> Self {
        Self((!gap.is_zero()).then(|| SystemClock.sleep(gap)))
    }
}

impl Future for Wait {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        self.0.as_mut().map_or(Poll::Ready(()), |sleep| sleep.as_mut().poll(cx))
    }
}

impl std::fmt::Debug for Wait {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Wait").finish_non_exhaustive()
    }
}
