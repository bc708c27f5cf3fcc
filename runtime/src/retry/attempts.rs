//! The decision whether to try again, and how long to wait before it.

use std::time::Duration;

use super::{Failure, Policy, gap};

/// What has happened so far. A call that succeeds at once carries eight bytes and allocates nothing.
#[derive(Debug, Default)]
pub(crate) struct Attempts(Option<Box<Progress>>);

#[derive(Debug, Default)]
struct Progress {
    retries: u32,
    previous: Duration,
    waited: Duration,
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

    /// Counts the failed attempt; the gap before the next one, or `None` when there is none.
    #[cold]
    pub(crate) fn again(&mut self, policy: &Policy, failure: Failure) -> Option<Duration> {
        self.decide(policy, failure, rand::random())
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Kind, policy, retry::NamedPolicy};

    const CONTENTION: Policy = policy::contention::POLICY;

    #[test]
    fn retries_and_attempts_are_counted_once() {
        let mut attempts = Attempts::new();
        for count in 1..=3 {
            assert_eq!(attempts.count(), count);
            assert!(attempts.again(&CONTENTION, Failure::of(Kind::Deadlock)).is_some());
        }
        assert_eq!(attempts.count(), 4);
        assert_eq!(attempts.again(&CONTENTION, Failure::of(Kind::Deadlock)), None);
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
