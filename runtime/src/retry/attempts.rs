//! The decision whether to try again, and how long to wait before it.

use std::{
    fmt,
    future::Future,
    pin::Pin,
    task::{Context, Poll},
    time::Duration,
};

use futures_core::future::BoxFuture;

use super::{Failure, Policy, gap};
use crate::clock::{Clock, SystemClock};

/// What has happened so far. A call that succeeds at once carries eight bytes and allocates nothing.
#[derive(Debug, Default)]
pub(crate) struct Attempts(Option<Box<Progress>>);

#[derive(Default)]
struct Progress {
    retries: u32,
    previous: Duration,
    waited: Duration,
    sleep: Option<BoxFuture<'static, ()>>,
}

impl Attempts {
    pub(crate) const fn new() -> Self {
        Self(None)
    }

    /// How often the work has been tried, the attempt under way included.
    pub(crate) fn count(&self) -> u32 {
        self.0.as_ref().map_or(0, |p| p.retries) + 1
    }

    /// The time spent in gaps.
    pub(crate) fn waited(&self) -> Duration {
        self.0.as_ref().map_or(Duration::ZERO, |p| p.waited)
    }

    /// Counts the failed attempt; the gap before the next one, or `None` when there is none. The gap is waited by
    /// [`wait`](Self::wait).
    #[cold]
    pub(crate) fn again(&mut self, policy: &Policy, failure: Failure) -> Option<Duration> {
        let gap = self.decide(policy, failure, rand::random())?;
        if let Some(progress) = &mut self.0 {
            // A zero gap touches no timer: the shortest timer waits a whole tick.
            progress.sleep = (!gap.is_zero()).then(|| SystemClock.sleep(gap));
        }
        Some(gap)
    }

    /// Waits the gap that was decided last.
    #[inline]
    pub(crate) fn wait(&mut self) -> Wait<'_> {
        Wait(self)
    }

    #[cold]
    fn poll_wait(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        let Some(Progress { sleep, .. }) = self.0.as_deref_mut() else { return Poll::Ready(()) };
        if let Some(timer) = sleep {
            std::task::ready!(timer.as_mut().poll(cx));
        }
        *sleep = None;
        Poll::Ready(())
    }

    fn decide(&mut self, policy: &Policy, failure: Failure, draw: u32) -> Option<Duration> {
        let retries = self.0.as_ref().map_or(0, |p| p.retries);
        if retries >= policy.retries() || !policy.retries_on(failure.kind) {
            return None;
        }
        let (previous, waited) = self.0.as_ref().map_or_else(Default::default, |p| (p.previous, p.waited));
        let drawn = gap(policy, retries, previous, draw);
        let wait = match failure.retry_after {
            // What the other side asks for is a floor, never clamped: what does not fit is not begun.
            Some(asked) if asked > policy.longest_wait().saturating_sub(waited) => return None,
            Some(asked) => asked.saturating_add(drawn),
            None => drawn,
        };
        let progress = self.0.get_or_insert_default();
        progress.retries = retries + 1;
        progress.previous = drawn;
        progress.waited = waited.saturating_add(wait);
        Some(wait)
    }
}

/// By hand, so that a call that succeeded at once tests one word here instead of calling a destructor.
impl Drop for Attempts {
    #[inline]
    fn drop(&mut self) {
        #[cold]
        #[inline(never)]
        fn release(progress: Box<Progress>) {
            drop(progress);
        }
        if let Some(progress) = self.0.take() {
            release(progress);
        }
    }
}

impl fmt::Debug for Progress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Progress").field("retries", &self.retries).field("waited", &self.waited).finish_non_exhaustive()
    }
}

/// The wait before the next attempt. Nothing but a reference, so that it takes no room in the future of a call.
#[must_use = "a wait does nothing unless it is awaited"]
#[derive(Debug)]
pub struct Wait<'a>(&'a mut Attempts);

impl Future for Wait<'_> {
    type Output = ();

    #[inline]
    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        self.0.poll_wait(cx)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Kind, policy, retry::NamedPolicy};

    const CONTENTION: Policy = policy::contention::POLICY;

    #[test]
    fn a_zero_gap_touches_no_timer() {
        // Outside of any runtime: a timer would panic.
        let zero = Policy { base: Duration::ZERO, cap: Duration::ZERO, ..CONTENTION };
        let mut attempts = Attempts::new();
        assert_eq!(attempts.again(&zero, Failure::of(Kind::Deadlock)), Some(Duration::ZERO));
        let mut context = Context::from_waker(std::task::Waker::noop());
        assert_eq!(Pin::new(&mut attempts.wait()).poll(&mut context), Poll::Ready(()));
    }

    #[test]
    fn retries_and_attempts_are_counted_once() {
        let mut attempts = Attempts::new();
        for count in 1..=3 {
            assert_eq!(attempts.count(), count);
            assert!(attempts.decide(&CONTENTION, Failure::of(Kind::Deadlock), u32::MAX).is_some());
        }
        assert_eq!(attempts.count(), 4);
        assert_eq!(attempts.decide(&CONTENTION, Failure::of(Kind::Deadlock), 0), None);
        assert!(attempts.waited() <= CONTENTION.longest_wait());
    }

    #[test]
    fn what_the_policy_does_not_name_is_not_retried() {
        for kind in [Kind::ConnectionLost, Kind::StatementTimeout, Kind::PoolExhausted, Kind::Nested, Kind::Other] {
            assert_eq!(Attempts::new().again(&CONTENTION, Failure::of(kind)), None, "{kind}");
        }
    }

    #[test]
    fn a_wish_that_does_not_fit_fails_at_once_and_one_that_fits_is_a_floor() {
        let asked = |ms| Failure::of(Kind::Deadlock).with_retry_after(Duration::from_millis(ms));
        assert_eq!(Attempts::new().decide(&CONTENTION, asked(351), 0), None);
        assert_eq!(Attempts::new().decide(&CONTENTION, asked(300), 0), Some(Duration::from_millis(300)));
        assert_eq!(Attempts::new().decide(&CONTENTION, asked(300), u32::MAX), Some(Duration::from_millis(350)));
        assert_eq!(Attempts::new().decide(&CONTENTION, asked(u64::MAX), 0), None);
    }
}
