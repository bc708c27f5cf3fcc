//! Time as the runtime sees it: a wall clock that may jump, and a wait that does not.
//!
//! Slots, lateness and leases are wall-clock matters (they are compared across machines). Timeouts, grace periods
//! and gaps are waits, and a wait must not end because somebody set the clock. The two are therefore two methods,
//! and a test can move them separately ([`VirtualClock`](crate::testing::VirtualClock)).

use std::{
    fmt,
    sync::Arc,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use crate::platform::{self, BoxFuture};

/// The two things the runtime asks of a platform about time.
///
/// There are only these two, so that a platform without tokio's timers can supply its own, as Cloudflare Workers do.
///
/// ```
/// use std::time::{Duration, SystemTime};
/// use futures_core::future::BoxFuture;
/// use steadfast::clock::{Clock, SystemClock};
///
/// /// A wall clock that is an hour ahead; waits are real.
/// struct Ahead;
///
/// impl Clock for Ahead {
///     fn now(&self) -> SystemTime {
///         SystemClock.now() + Duration::from_hours(1)
///     }
///     fn sleep(&self, duration: Duration) -> BoxFuture<'static, ()> {
///         SystemClock.sleep(duration)
///     }
/// }
/// ```
pub trait Clock: Send + Sync + 'static {
    /// The wall clock, in UTC. It may jump in both directions between two calls.
    fn now(&self) -> SystemTime;

    /// A wait of `duration` from this call on, measured by a clock that never jumps. It may end late, never early.
    fn sleep(&self, duration: Duration) -> BoxFuture<'static, ()>;
}

/// A shared clock is a clock: replicas in one test share one.
impl<C: Clock + ?Sized> Clock for Arc<C> {
    fn now(&self) -> SystemTime {
        (**self).now()
    }

    fn sleep(&self, duration: Duration) -> BoxFuture<'static, ()> {
        (**self).sleep(duration)
    }
}

/// The platform's own clock: [`SystemTime::now`] and tokio's timer; on `wasm32-unknown-unknown`, `Date.now` and `setTimeout`.
///
/// ```
/// use steadfast::clock::{Clock, SystemClock};
/// # tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap().block_on(async {
/// SystemClock.sleep(std::time::Duration::from_millis(1)).await;
/// # });
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> SystemTime {
        platform::now()
    }

    /// # Panics
    /// On a server, outside a tokio runtime that has its timer enabled, as tokio's own sleep does.
    fn sleep(&self, duration: Duration) -> BoxFuture<'static, ()> {
        platform::sleep(duration)
    }
}

/// The clock that a job may take as a parameter, written `clock: &JobClock`.
///
/// It is the clock that the runner itself uses, so a job that asks it stays testable. What is *due* is asked of the
/// slot, never of a clock (`docs/rules.md#ask-for-what-is-due-as-of-the-slot`).
///
/// ```
/// use std::time::Duration;
/// use steadfast::{JobClock, clock::{Clock, SystemClock}};
///
/// async fn poll_twice(clock: &JobClock) {
///     let _started = clock.now();
///     clock.sleep(Duration::from_millis(1)).await;
/// }
/// let clock = JobClock::new(SystemClock);
/// # tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap().block_on(poll_twice(&clock));
/// ```
#[derive(Clone)]
pub struct JobClock(Arc<dyn Clock>);

impl JobClock {
    /// Makes the parameter from a clock; needed only where a job's function is called by hand.
    pub fn new(clock: impl Clock) -> Self {
        Self(Arc::new(clock))
    }

    /// The wall clock, in UTC: [`Clock::now`].
    #[must_use]
    pub fn now(&self) -> SystemTime {
        self.0.now()
    }

    /// A wait that no change of the wall clock shortens: [`Clock::sleep`].
    #[must_use = "a wait does nothing until it is awaited"]
    pub fn sleep(&self, duration: Duration) -> BoxFuture<'static, ()> {
        self.0.sleep(duration)
    }
}

impl Clock for JobClock {
    fn now(&self) -> SystemTime {
        self.0.now()
    }

    fn sleep(&self, duration: Duration) -> BoxFuture<'static, ()> {
        self.0.sleep(duration)
    }
}

impl fmt::Debug for JobClock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JobClock")
    }
}

/// Whole seconds and nanoseconds since the epoch, floored: half a second before it is `(-1, 500_000_000)`.
///
/// Total: what does not fit an `i64` of seconds is the nearest value that does.
pub(crate) fn since_epoch(time: SystemTime) -> (i64, u32) {
    match time.duration_since(UNIX_EPOCH) {
        Ok(after) => (i64::try_from(after.as_secs()).unwrap_or(i64::MAX), after.subsec_nanos()),
        Err(before) => {
            let before = before.duration();
            let seconds = i64::try_from(before.as_secs()).map_or(i64::MIN, |seconds| -seconds);
            match before.subsec_nanos() {
                0 => (seconds, 0),
                nanos => (seconds.saturating_sub(1), 1_000_000_000 - nanos),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_before_the_epoch_is_floored() {
        let at = |before: Duration| since_epoch(UNIX_EPOCH - before);
        assert_eq!(at(Duration::ZERO), (0, 0));
        assert_eq!(at(Duration::from_millis(500)), (-1, 500_000_000));
        assert_eq!(at(Duration::from_mins(1)), (-60, 0));
        assert_eq!(since_epoch(UNIX_EPOCH + Duration::from_millis(1500)), (1, 500_000_000));
    }

    #[tokio::test]
    async fn the_system_clock_waits() {
        let before = std::time::Instant::now();
        SystemClock.sleep(Duration::from_millis(2)).await;
        assert!(before.elapsed() >= Duration::from_millis(2));
    }
}
