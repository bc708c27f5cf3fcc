//! A clock that moves only when it is told to, wall and waits apart.

use std::{
    collections::BTreeMap,
    fmt,
    pin::Pin,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    task::{Context, Poll, Waker},
    time::{Duration, SystemTime},
};

use crate::{Slot, clock::Clock, platform::BoxFuture};

/// A clock for tests. Clones share the time.
///
/// The wall clock and the clock of waits can be moved separately, because they do move separately: NTP and suspended
/// machines move the first, and only the second ends a wait.
///
/// ```
/// use std::time::Duration;
/// use steadfast::{Slot, clock::Clock, testing::VirtualClock};
///
/// let clock = VirtualClock::at(Slot::utc(2026, 1, 2, 3, 0).unwrap());
/// let wait = clock.sleep(Duration::from_mins(1));
/// clock.set_wall(Slot::utc(2026, 2, 1, 0, 0).unwrap().time());   // the wait goes on
/// clock.advance(Duration::from_mins(1));                        // both move: the wait is over
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(wait);
/// ```
#[derive(Clone)]
pub struct VirtualClock(Arc<Mutex<Time>>);

struct Time {
    wall: SystemTime,
    waited: Duration,
    /// Waits by their end; the number tells waits with one end apart.
    sleepers: BTreeMap<(Duration, u64), Waker>,
    next: u64,
}

impl VirtualClock {
    /// A clock that stands at the start of this slot.
    #[must_use]
    pub fn at(slot: Slot) -> Self {
        Self(Arc::new(Mutex::new(Time {
            wall: slot.time(),
            waited: Duration::ZERO,
            sleepers: BTreeMap::new(),
            next: 0,
        })))
    }

    /// Time passes: both clocks move, and waits that are over end.
    ///
    /// # Panics
    /// When the wall clock would leave what the platform's [`SystemTime`] holds.
    pub fn advance(&self, by: Duration) {
        let mut time = self.time();
        time.wall += by;
        Self::wait(time, by);
    }

    /// Only the clock of waits moves, as on a machine whose wall clock was stopped or set back meanwhile.
    pub fn advance_waits(&self, by: Duration) {
        Self::wait(self.time(), by);
    }

    /// Only the wall clock moves, to `time`, forward or back.
    pub fn set_wall(&self, time: SystemTime) {
        self.time().wall = time;
    }

    /// How many waits are going on.
    #[must_use]
    pub fn sleepers(&self) -> usize {
        self.time().sleepers.len()
    }

    /// How long until the next wait is over, by the clock of waits.
    pub(super) fn until_next_wait(&self) -> Option<Duration> {
        let time = self.time();
        time.sleepers.first_key_value().map(|((end, _), _)| end.saturating_sub(time.waited))
    }

    fn wait(mut time: MutexGuard<'_, Time>, by: Duration) {
        time.waited = time.waited.saturating_add(by);
        let now = time.waited;
        let still = time.sleepers.split_off(&(now, u64::MAX));
        let over = std::mem::replace(&mut time.sleepers, still);
        // Woken outside the lock: a waker may run anything.
        drop(time);
        over.into_values().for_each(Waker::wake);
    }

    fn time(&self) -> MutexGuard<'_, Time> {
        // A panic of another test thread leaves the time as it was.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Clock for VirtualClock {
    fn now(&self) -> SystemTime {
        self.time().wall
    }

    fn sleep(&self, duration: Duration) -> BoxFuture<'static, ()> {
        let mut time = self.time();
        time.next += 1;
        let key = (time.waited.saturating_add(duration), time.next);
        drop(time);
        Box::pin(Sleep { clock: self.clone(), key })
    }
}

impl fmt::Debug for VirtualClock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let time = self.time();
        f.debug_struct("VirtualClock").field("wall", &time.wall).field("sleepers", &time.sleepers.len()).finish()
    }
}

struct Sleep {
    clock: VirtualClock,
    key: (Duration, u64),
}

impl Future for Sleep {
    type Output = ();

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        let mut time = self.clock.time();
        if time.waited >= self.key.0 {
            return Poll::Ready(());
        }
        time.sleepers.insert(self.key, context.waker().clone());
        Poll::Pending
    }
}

impl Drop for Sleep {
    fn drop(&mut self) {
        self.clock.time().sleepers.remove(&self.key);
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt as _;

    use super::*;

    #[test]
    fn wall_and_waits_move_apart() {
        let clock = VirtualClock::at(Slot::from_unix_seconds(0));
        let mut minute = clock.sleep(Duration::from_mins(1));
        assert_eq!((&mut minute).now_or_never(), None);
        assert_eq!(clock.sleepers(), 1);
        clock.set_wall(Slot::from_unix_seconds(1_000_000).time());
        clock.advance_waits(Duration::from_secs(59));
        assert_eq!((&mut minute).now_or_never(), None);
        clock.advance(Duration::from_secs(1));
        assert_eq!(minute.now_or_never(), Some(()));
        assert_eq!(clock.now(), Slot::from_unix_seconds(1_000_000).time() + Duration::from_secs(1));
        assert_eq!(clock.sleep(Duration::ZERO).now_or_never(), Some(()));
        let dropped = clock.sleep(Duration::from_secs(1));
        drop(dropped);
        let mut polled = clock.sleep(Duration::MAX);
        assert_eq!((&mut polled).now_or_never(), None);
        drop(polled);
        assert_eq!(clock.sleepers(), 0);
    }
}
