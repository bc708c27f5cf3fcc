//! The wait between two runs.

use std::{
    fmt,
    future::Future,
    pin::Pin,
    task::{Context, Poll, ready},
    time::Duration,
};

use crate::platform::{self, BoxFuture};

/// Ends with its own length.
pub(super) struct Pause {
    wait: Duration,
    timer: BoxFuture<'static, ()>,
}

impl Pause {
    pub(super) fn new(wait: Duration) -> Self {
        // No timer for a wait of zero: its shortest wait is a whole tick. But a source that is always ready leaves room for others.
        let timer = if wait.is_zero() { platform::yielded() } else { platform::sleep(wait) };
        Self { wait, timer }
    }
}

impl Future for Pause {
    type Output = Duration;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Duration> {
        ready!(self.timer.as_mut().poll(cx));
        Poll::Ready(self.wait)
    }
}

impl fmt::Debug for Pause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Pause").field(&self.wait).finish()
    }
}
