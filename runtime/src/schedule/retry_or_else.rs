//! A retry by a schedule, with an answer for the case that it did not help.

use std::{
    fmt,
    future::Future,
    pin::Pin,
    task::{Context, Poll, ready},
    time::Duration,
};

use metrics::Label;
use pin_project_lite::pin_project;

use super::{Ends, Hooks, NamedSchedule, Paced, RetriedError, Schedule, Spreads, delays::Delays, pause::Pause};
use crate::{
    retry::{Around, Failure, Scope, Stopped, UnitFailure, has_passed, inside, scope},
    telemetry,
};

impl<S: NamedSchedule, H, O> Paced<S, H, O> {
    /// Runs the work, retries its failures by the schedule, and hands the last one to `or_else`, whose result is the result.
    ///
    /// It is for work that is harmless to repeat as a whole, at the narrowest place, and for a fallback that is true; where there is
    /// none, `or_else` returns the error that it was given. Retried is what a policy could name (`contention`, `connection_lost`,
    /// `rate_limited`, `unavailable`), as the error's [`Classify`](crate::Classify) has it: never a domain error, a statement
    /// timeout or a panic. A `retry_after` is a floor for the delay. No wait is begun that does not fit into
    /// [`within`](crate::within), and under [`durable::scope`](crate::durable::scope) contention alone is retried.
    ///
    /// The work is a retry scope, so that one layer retries a failure: in it, units and writes without a key fail as `Nested`, and
    /// reads and keyed calls run once. Inside of another scope the work itself runs once.
    ///
    /// # Errors
    ///
    /// What `or_else` returns. It is told the last real error and why there was no further attempt; when the time was over before
    /// the first one, the error is a [`UnitFailure`] that says so.
    ///
    /// ```
    /// use steadfast::{Classify, Stopped, UnitFailure, schedule};
    ///
    /// mod retry {
    ///     steadfast::policies! {
    ///         pub schedule patient = exponential(base = "1ms", cap = "10ms").jittered().up_to(5);
    ///     }
    /// }
    ///
    /// #[derive(Debug, thiserror::Error, Classify)]
    /// enum RateError {
    ///     #[error("no answer")]
    ///     #[classify(unavailable)]
    ///     Unavailable,
    ///     #[error(transparent)]
    ///     #[classify(transparent)]
    ///     Unit(#[from] UnitFailure),
    /// }
    /// # async fn fetch() -> Result<f64, RateError> { Err(RateError::Unavailable) }
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() {
    /// // A rate of yesterday is a truthful answer here.
    /// let rate = schedule::of::<retry::patient>().retry_or_else(fetch, async |error, stopped| match stopped {
    ///     Stopped::Spent => Ok(1.08),
    ///     _ => Err(error),
    /// });
    /// assert_eq!(rate.await.unwrap(), 1.08);
    /// # }
    /// ```
    pub fn retry_or_else<T, E, R, W, F, L, G>(self, work: W, or_else: L) -> RetryOrElse<H, E, W, F, L, G>
    where
        S: Ends + Spreads,
        E: RetriedError,
        // Not `AsyncFnMut`: see `repeat`.
        W: FnMut() -> F,
        F: Future<Output = Result<T, E>>,
        L: FnOnce(E, Stopped) -> G,
        G: Future<Output = Result<T, R>>,
        H: Hooks<E>,
    {
        RetryOrElse {
            about: About {
                schedule: S::SCHEDULE,
                labels: const { &[Label::from_static_parts("policy", S::SCHEDULE.name)] },
                failure: E::failure,
                too_late: || UnitFailure::too_late(S::SCHEDULE.name).into(),
            },
            hooks: self.hooks,
            work,
            or_else: Some(or_else),
            delays: None,
            pause: None,
            error: None,
            run: None,
            fallback: None,
        }
    }
}

/// The schedule, and how the runtime speaks to the error: the bounds are said once, where the call is written.
struct About<E> {
    schedule: Schedule,
    labels: &'static [Label],
    failure: fn(&E) -> Option<Failure>,
    too_late: fn() -> E,
}

pin_project! {
    /// The future of [`Paced::retry_or_else`]. A type of its own, so that a mistake in the call is one message.
    #[must_use = "a future does nothing unless it is awaited"]
    pub struct RetryOrElse<H, E, W, F, L, G> {
        about: About<E>,
        hooks: H,
        work: W,
        or_else: Option<L>,
        delays: Option<Delays>,
        pause: Option<Pause>,
        // The last one, while the next run is waited for.
        error: Option<E>,
        #[pin]
        run: Option<Scope<F>>,
        #[pin]
        fallback: Option<G>,
    }
}

impl<H, T, E, R, W, F, L, G> Future for RetryOrElse<H, E, W, F, L, G>
where
    W: FnMut() -> F,
    F: Future<Output = Result<T, E>>,
    L: FnOnce(E, Stopped) -> G,
    G: Future<Output = Result<T, R>>,
    H: Hooks<E>,
{
    type Output = Result<T, R>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let mut this = self.project();
        let delays = this.delays.get_or_insert_with(|| Delays::start(this.about.schedule));
        loop {
            if let Some(fallback) = this.fallback.as_mut().as_pin_mut() {
                return fallback.poll(cx);
            }
            let next = if let Some(run) = this.run.as_mut().as_pin_mut() {
                let result = ready!(run.poll(cx));
                this.run.set(None);
                match result {
                    Ok(value) => return Poll::Ready(Ok(value)),
                    Err(error) => this.about.again(error, delays, this.hooks),
                }
            } else if let Some(pause) = this.pause {
                let wait = ready!(Pin::new(pause).poll(cx));
                *this.pause = None;
                match this.error.take() {
                    Some(error) if !delays.waited(wait) => Next::Stop(error, Stopped::Deadline),
                    _ => Next::Run,
                }
            } else if has_passed() {
                Next::Stop((this.about.too_late)(), Stopped::Deadline)
            } else {
                Next::Run
            };
            match next {
                Next::Run => this.run.set(Some(scope((this.work)()))),
                Next::Wait(error, wait) => {
                    *this.error = Some(error);
                    *this.pause = Some(Pause::new(wait));
                }
                Next::Stop(error, stopped) => {
                    let or_else = this.or_else.take().expect("a future is not polled after its end");
                    this.fallback.set(Some(or_else(error, stopped)));
                }
            }
        }
    }
}

enum Next<E> {
    Run,
    Wait(E, Duration),
    Stop(E, Stopped),
}

impl<E> About<E> {
    /// A run has failed.
    fn again(&self, error: E, delays: &mut Delays, hooks: &mut impl Hooks<E>) -> Next<E> {
        match self.wait(&error, delays, hooks) {
            Ok(wait) => Next::Wait(error, wait),
            Err(stopped) => Next::Stop(error, stopped),
        }
    }

    /// The wait before the next attempt, or why there is none.
    fn wait(&self, error: &E, delays: &mut Delays, hooks: &mut impl Hooks<E>) -> Result<Duration, Stopped> {
        let failure =
            (self.failure)(error).filter(|failure| failure.kind.may_be_retried()).ok_or(Stopped::NotRetried)?;
        if inside() {
            // The scope around this one retries.
            return Err(Stopped::NotRetried);
        }
        let around = Around::now();
        around.allow(failure.kind)?;
        let wait = delays.step(error, hooks, failure.retry_after, &around)?;
        telemetry::attempts::waiting(self.labels, wait);
        Ok(wait)
    }
}

impl<H, E, W, F, L, G> fmt::Debug for RetryOrElse<H, E, W, F, L, G> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RetryOrElse").field("schedule", &self.about.schedule).finish_non_exhaustive()
    }
}
