//! The decision whether to try again, and how long to wait before it.

use std::{
    fmt,
    future::Future,
    pin::Pin,
    task::{Context, Poll},
    time::Duration,
};

use super::{Around, Declaration, Failure, Policy, Retrying, Stopped, gap};
use crate::{
    clock::{Clock, SystemClock},
    platform::BoxFuture,
    telemetry,
};

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

    /// Counts the failed attempt: the gap before the next one, or why there is none. The gap is waited by
    /// [`wait`](Self::wait).
    #[cold]
    pub(crate) fn again(&mut self, declaration: &'static Declaration, failure: Failure) -> Result<Duration, Stopped> {
        let Declaration { name, policy, extras, .. } = declaration;
        let attempt = self.count();
        let pay = || {
            let Some(budget) = extras.budget.map(|budget| budget()) else { return Ok(()) };
            let paid = budget.spend();
            telemetry::attempts::budget(declaration, budget.tokens());
            if paid { Ok(()) } else { Err(Stopped::Budget) }
        };
        let delay = self.decide(policy, failure, &Around::now(), rand::random());
        let delay = delay.and_then(|delay| pay().map(|()| delay));
        let delay = delay.inspect_err(|stopped| telemetry::attempts::stopped(declaration, *stopped))?;
        let progress = self.0.get_or_insert_default();
        progress.retries += 1;
        progress.previous = delay.drawn;
        progress.waited = progress.waited.saturating_add(delay.wait);
        // A zero gap touches no timer: the shortest timer waits a whole tick.
        progress.sleep = (!delay.wait.is_zero()).then(|| SystemClock.sleep(delay.wait));
        telemetry::attempts::waiting(&declaration.labels.waiting, delay.wait);
        if let Some(on_retry) = extras.on_retry {
            on_retry(&Retrying { name, policy: policy.name(), failure, attempt, delay: delay.wait });
        }
        Ok(delay.wait)
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

    fn decide(&self, policy: &Policy, failure: Failure, around: &Around, draw: u32) -> Result<Delay, Stopped> {
        let (retries, previous, waited) =
            self.0.as_ref().map_or_else(Default::default, |p| (p.retries, p.previous, p.waited));
        if !policy.retries_on(failure.kind) {
            return Err(Stopped::NotRetried);
        }
        around.allow(failure.kind)?;
        if retries >= policy.retries() {
            return Err(Stopped::Spent);
        }
        let drawn = gap(policy, retries, previous, draw);
        let wait = around.fit(drawn, failure.retry_after, || policy.longest_wait().saturating_sub(waited))?;
        Ok(Delay { wait, drawn })
    }
}

#[derive(Debug, PartialEq, Eq)]
struct Delay {
    wait: Duration,
    /// The part of it that the policy drew.
    drawn: Duration,
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
    use crate::{
        Kind, policy,
        retry::{Declared, Known, NamedPolicy, Settings, unit_declaration},
    };

    const CONTENTION: Policy = policy::contention::POLICY;
    const ALONE: Around = Around { left: None, is_durable: false };

    enum ThisUnit {}
    impl Declared for ThisUnit {
        const KNOWN: Known = Known { name: "this_unit", settings: Settings::NONE };
    }

    fn waits(failure: Failure, around: &Around, draw: u32) -> Result<u128, Stopped> {
        Attempts::new().decide(&CONTENTION, failure, around, draw).map(|delay| delay.wait.as_millis())
    }

    #[test]
    fn a_zero_gap_touches_no_timer() {
        // Outside of any runtime: a timer would panic.
        let declared = unit_declaration::<policy::contention, ThisUnit>();
        let zero = Policy { base: Duration::ZERO, cap: Duration::ZERO, ..CONTENTION };
        let mut attempts = Attempts::new();
        let zero = Box::leak(Box::new(Declaration { policy: zero, ..declared.clone() }));
        assert_eq!(attempts.again(zero, Failure::of(Kind::Deadlock)), Ok(Duration::ZERO));
        let mut context = Context::from_waker(std::task::Waker::noop());
        assert_eq!(Pin::new(&mut attempts.wait()).poll(&mut context), Poll::Ready(()));
    }

    #[tokio::test]
    async fn retries_and_attempts_are_counted_once() {
        let declared = unit_declaration::<policy::contention, ThisUnit>();
        let mut attempts = Attempts::new();
        for count in 1..=3 {
            assert_eq!(attempts.count(), count);
            assert!(attempts.again(declared, Failure::of(Kind::Deadlock)).is_ok());
        }
        assert_eq!(attempts.count(), 4);
        assert_eq!(attempts.again(declared, Failure::of(Kind::Deadlock)), Err(Stopped::Spent));
        assert!(attempts.waited() <= CONTENTION.longest_wait());
    }

    #[test]
    fn what_the_policy_does_not_name_is_not_retried() {
        for kind in [Kind::ConnectionLost, Kind::StatementTimeout, Kind::PoolExhausted, Kind::Nested, Kind::Other] {
            assert_eq!(waits(Failure::of(kind), &ALONE, 0), Err(Stopped::NotRetried), "{kind}");
        }
    }

    #[test]
    fn under_a_durable_retrier_contention_alone_is_retried() {
        let durable = Around { is_durable: true, ..ALONE };
        let decide = |kind| Attempts::new().decide(&policy::transient::POLICY, Failure::of(kind), &durable, 0);
        assert_eq!(decide(Kind::ConnectionLost), Err(Stopped::Durable));
        assert!(decide(Kind::LockTimeout).is_ok());
    }

    #[test]
    fn a_wish_that_does_not_fit_fails_at_once_and_one_that_fits_is_a_floor() {
        let asked = |ms| Failure::of(Kind::Deadlock).with_retry_after(Duration::from_millis(ms));
        assert_eq!(waits(asked(351), &ALONE, 0), Err(Stopped::RetryAfter));
        assert_eq!(waits(asked(300), &ALONE, 0), Ok(300));
        assert_eq!(waits(asked(300), &ALONE, u32::MAX), Ok(350));
        assert_eq!(waits(asked(20), &ALONE, u32::MAX), Ok(50), "the gap is longer");
        assert_eq!(waits(asked(u64::MAX), &ALONE, 0), Err(Stopped::RetryAfter));
        // With a deadline, that is what there is time for, and not the policy's own longest wait.
        let within = |ms| Around { left: Some(Duration::from_millis(ms)), ..ALONE };
        assert_eq!(waits(asked(2_000), &within(2_002), 0), Ok(2_000));
        assert_eq!(waits(asked(2_000), &within(1_999), 0), Err(Stopped::RetryAfter));
        assert_eq!(waits(asked(2_000), &within(2_000), 0), Err(Stopped::Deadline));
    }

    #[test]
    fn a_wait_that_does_not_fit_is_not_begun() {
        let within = |ms| Around { left: Some(Duration::from_millis(ms)), ..ALONE };
        for (left, draw, waited) in [
            (52, u32::MAX, Ok(50)),
            (51, u32::MAX, Err(Stopped::Deadline)),
            (50, u32::MAX, Err(Stopped::Deadline)),
            (1, 0, Ok(0)),
            (0, 0, Err(Stopped::Deadline)),
        ] {
            assert_eq!(waits(Failure::of(Kind::Deadlock), &within(left), draw), waited, "{left} ms left");
        }
    }
}
