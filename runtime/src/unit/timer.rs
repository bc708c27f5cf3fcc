//! The time that one attempt may take.

use std::{
    error::Error,
    fmt,
    future::Future,
    pin::Pin,
    task::{Context, Poll},
    time::Duration,
};

use pin_project_lite::pin_project;

use crate::{
    clock::{Clock, SystemClock},
    platform::{BoxFuture, Instant},
};

/// Runs from the start of an attempt: waiting for a connection counts. Without a limit it never ends.
#[derive(Default)]
pub enum Timer {
    #[default]
    Unlimited,
    Running {
        sleep: BoxFuture<'static, ()>,
        /// `None`: so far away that it cannot be counted.
        end: Option<Instant>,
    },
    Over,
}

impl Timer {
    pub(super) fn start(limit: Option<Duration>) -> Self {
        limit.map_or(Self::Unlimited, |limit| Self::Running {
            sleep: SystemClock.sleep(limit),
            end: Instant::now().checked_add(limit),
        })
    }

    /// `None`: the time was over before the future was ready.
    pub(super) const fn bound<F: Future>(&mut self, future: F) -> Within<'_, F> {
        Within { future, timer: self }
    }

    /// Whether the time is over. The clock is asked: a thread that was kept busy has not looked at its timers.
    pub(super) fn has_ended(&self) -> bool {
        match self {
            Self::Unlimited => false,
            Self::Running { end, .. } => end.is_some_and(|end| end <= Instant::now()),
            Self::Over => true,
        }
    }

    pub(super) fn is_over(&mut self, cx: &mut Context<'_>) -> bool {
        if let Self::Running { sleep, .. } = self
            && sleep.as_mut().poll(cx).is_ready()
        {
            *self = Self::Over;
        }
        matches!(self, Self::Over)
    }
}

impl fmt::Debug for Timer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Unlimited => "Unlimited",
            Self::Running { .. } => "Running",
            Self::Over => "Over",
        })
    }
}

pin_project! {
    /// A future that may take what is left of the attempt.
    pub(super) struct Within<'a, F> {
        #[pin]
        future: F,
        timer: &'a mut Timer,
    }
}

impl<F: Future> Future for Within<'_, F> {
    type Output = Option<F::Output>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let this = self.project();
        // The work first: what is ready in time counts, however late it is looked at.
        match this.future.poll(cx) {
            Poll::Ready(output) => Poll::Ready(Some(output)),
            Poll::Pending if this.timer.is_over(cx) => Poll::Ready(None),
            Poll::Pending => Poll::Pending,
        }
    }
}

/// The cause of a unit that took too long.
#[derive(Debug)]
pub(super) struct AttemptTimedOut;

impl fmt::Display for AttemptTimedOut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the attempt took longer than its `attempt_timeout`, or than its caller's deadline left it")
    }
}

impl Error for AttemptTimedOut {}
