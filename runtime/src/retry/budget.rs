//! `.budget(…)`: how many retries a process may spend on one policy.

use std::{
    fmt,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use crate::platform::Instant;

/// A retry, in millionths: ratios with six digits behind the point are exact.
const RETRY: u64 = 1_000_000;

/// The most that calls can earn in advance: a hundred retries, as in the AWS SDKs. What was saved up in good times is spent at the
/// beginning of an outage, and must not feed it.
const MOST: u64 = 100 * RETRY;

/// The retries that all callers of one policy share.
///
/// Each call earns the ratio, each retry costs one. So that a process with few calls can retry at all, some retries a second
/// are free. Nothing is earned in advance at the start.
pub struct Budget {
    /// What a call earns.
    ratio: u64,
    /// Free retries a second.
    min_per_second: u32,
    earned: AtomicU64,
    /// When the free retries will have been paid back.
    free_from: Mutex<Option<Instant>>,
}

impl Budget {
    /// `ratio` in millionths.
    #[must_use]
    pub const fn new(ratio: u32, min_per_second: u32) -> Self {
        Self { ratio: ratio as u64, min_per_second, earned: AtomicU64::new(0), free_from: Mutex::new(None) }
    }

    /// A call is made.
    pub(super) fn earn(&self) {
        let earn = |earned: u64| Some((earned + self.ratio).min(MOST)).filter(|more| *more != earned);
        let _ = self.earned.fetch_update(Ordering::Relaxed, Ordering::Relaxed, earn);
    }

    /// Pays for a retry; `false` when it cannot be paid.
    pub(super) fn spend(&self) -> bool {
        let pay = |earned: u64| earned.checked_sub(RETRY);
        self.earned.fetch_update(Ordering::Relaxed, Ordering::Relaxed, pay).is_ok() || self.spend_free()
    }

    /// The retries that could be paid now from what was earned.
    pub(super) fn tokens(&self) -> f64 {
        #[allow(clippy::cast_precision_loss)] // at most a hundred million
        let earned = self.earned.load(Ordering::Relaxed) as f64;
        earned / 1e6
    }

    /// One in each part of a second, a second's worth at once.
    fn spend_free(&self) -> bool {
        const SECOND: Duration = Duration::from_secs(1);
        let Some(each) = SECOND.checked_div(self.min_per_second) else { return false };
        let mut free_from = self.free_from.lock().unwrap_or_else(PoisonError::into_inner);
        // Behind the lock, so that nobody has written a later one.
        let now = Instant::now();
        // More than a second ahead was written under a paused clock that a test has moved: one budget serves all tests.
        let from = free_from.filter(|from| *from - now <= SECOND).unwrap_or(now);
        let paid_back = from.max(now) + each;
        let fits = paid_back - now <= SECOND;
        if fits {
            *free_from = Some(paid_back);
        }
        fits
    }
}

impl fmt::Debug for Budget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Budget").field("tokens", &self.tokens()).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spent(budget: &Budget) -> u32 {
        (0..1000).take_while(|_| budget.spend()).count().try_into().unwrap()
    }

    /// tower#857: floating point let ten retries through where six were earned.
    #[test]
    fn ratios_are_exact() {
        for (ratio, calls, retries) in
            [(600_000, 10, 6), (100_000, 10, 1), (100_000, 9, 0), (1, 1_000_000, 1), (333_333, 3, 0), (1_000_000, 7, 7)]
        {
            let budget = Budget::new(ratio, 0);
            (0..calls).for_each(|_| budget.earn());
            assert_eq!(spent(&budget), retries, "{ratio} millionths, {calls} calls");
        }
    }

    #[test]
    fn it_refills_and_does_not_hoard() {
        let budget = Budget::new(100_000, 0);
        assert_eq!(spent(&budget), 0, "nothing is earned in advance");
        for _ in 0..3 {
            (0..50).for_each(|_| budget.earn());
            assert_eq!(spent(&budget), 5);
        }
        (0..100_000).for_each(|_| budget.earn());
        assert_eq!(spent(&budget), 100);
    }

    #[tokio::test(start_paused = true)]
    async fn some_retries_a_second_are_free() {
        let budget = Budget::new(100_000, 4);
        assert_eq!(spent(&budget), 4);
        tokio::time::advance(Duration::from_millis(249)).await;
        assert_eq!(spent(&budget), 0);
        tokio::time::advance(Duration::from_millis(1)).await;
        assert_eq!(spent(&budget), 1);
        tokio::time::advance(Duration::from_hours(1)).await;
        assert_eq!(spent(&budget), 4, "a second's worth at most");
    }

    /// All tests of a binary share the budget of a policy, and each may have a clock of its own.
    #[test]
    fn a_paused_clock_that_was_moved_leaves_the_next_test_its_retries() {
        let budget = Budget::new(100_000, 1);
        for ahead in [3600, 0] {
            let runtime =
                tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap();
            runtime.block_on(async {
                tokio::time::advance(Duration::from_secs(ahead)).await;
                assert_eq!(spent(&budget), 1);
            });
        }
    }
}
