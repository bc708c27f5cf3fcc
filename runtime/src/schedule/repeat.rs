//! Success, again and again.

use std::{
    fmt,
    future::Future,
    marker::PhantomData,
    pin::Pin,
    task::{Context, Poll, ready},
};

use pin_project_lite::pin_project;

use super::{Hooks, NamedSchedule, Output, Paced, Schedule, delays::Delays, pause::Pause};
use crate::retry::Around;

impl<S: NamedSchedule, H, O> Paced<S, H, O> {
    /// Runs the work once, and again after each delay for as long as the schedule lasts and the work succeeds.
    ///
    /// Without an end, only a failure ends it. It retries nothing and is no retry scope, so units and calls inside retry as their
    /// policies say. Under [`within`](crate::within) no run but the first begins when the time is over, and no wait that does not fit.
    /// A delay of zero lets other tasks run. The work is any function that returns a future; what it changes stands in an
    /// atomic or a `Mutex`, since a future that borrowed from the closure itself could not be spawned: rustc says "async closure does
    /// not implement `FnMut` because it captures state from its environment".
    ///
    /// # Errors
    ///
    /// The first failure of the work, at once. Work whose failures are expected handles them itself, and goes on with the next run:
    ///
    /// ```no_run
    /// use std::convert::Infallible;
    /// # mod retry { steadfast::policies! { pub schedule tick = spaced("1s"); } }
    /// # async fn run_pass() -> Result<(), std::io::Error> { Ok(()) }
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() {
    /// let worker = steadfast::schedule::of::<retry::tick>().repeat(async || {
    ///     if let Err(error) = run_pass().await {
    ///         eprintln!("the pass failed: {error}");
    ///     }
    ///     Ok::<_, Infallible>(())
    /// });
    /// tokio::select! {
    ///     _ = worker => unreachable!("it has no end and does not fail"),
    ///     () = steadfast::shutdown_signal() => {}
    /// }
    /// # }
    /// ```
    pub fn repeat<T, E, W, F>(self, work: W) -> Repeat<H, O, T, W, F>
    where
        // Not `AsyncFnMut`, whose future may borrow from the closure: of one that does, no compiler can show that it is `Send` for
        // every such borrow, and nobody could spawn this one.
        W: FnMut() -> F,
        F: Future<Output = Result<T, E>>,
        H: Hooks<T>,
        O: Output<T>,
    {
        let Self { hooks, .. } = self;
        Repeat {
            schedule: S::SCHEDULE,
            hooks,
            work,
            delays: None,
            pause: None,
            value: None,
            run: None,
            output: PhantomData,
        }
    }
}

pin_project! {
    /// The future of [`Paced::repeat`]. A type of its own, so that a mistake in the call is one message.
    #[must_use = "a future does nothing unless it is awaited"]
    pub struct Repeat<H, O, T, W, F> {
        schedule: Schedule,
        hooks: H,
        work: W,
        delays: Option<Delays>,
        pause: Option<Pause>,
        // The last one, while the next run is waited for.
        value: Option<T>,
        #[pin]
        run: Option<F>,
        output: PhantomData<fn() -> O>,
    }
}

impl<H, O, T, E, W, F> Future for Repeat<H, O, T, W, F>
where
    W: FnMut() -> F,
    F: Future<Output = Result<T, E>>,
    H: Hooks<T>,
    O: Output<T>,
{
    type Output = Result<O::Kept, E>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let mut this = self.project();
        let delays = this.delays.get_or_insert_with(|| Delays::start(*this.schedule));
        loop {
            if let Some(run) = this.run.as_mut().as_pin_mut() {
                let result = ready!(run.poll(cx));
                this.run.set(None);
                let value = result?;
                // Why there is no further run does not matter: whatever ends a repetition, the work succeeded.
                let Ok(wait) = delays.step(&value, this.hooks, None, &Around::now()) else {
                    return Poll::Ready(Ok(O::keep(value, delays.recurrences())));
                };
                *this.pause = Some(Pause::new(wait));
                *this.value = Some(value);
            }
            if let Some(pause) = this.pause {
                let wait = ready!(Pin::new(pause).poll(cx));
                *this.pause = None;
                let goes_on = delays.waited(wait);
                if let (Some(value), false) = (this.value.take(), goes_on) {
                    return Poll::Ready(Ok(O::keep(value, delays.recurrences())));
                }
            }
            this.run.set(Some((this.work)()));
        }
    }
}

impl<H, O, T, W, F> fmt::Debug for Repeat<H, O, T, W, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Repeat").field("schedule", &self.schedule).finish_non_exhaustive()
    }
}
