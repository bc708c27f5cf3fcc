//! A wall clock on which a minute takes a second.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use futures_core::future::BoxFuture;
use sqlx::{AssertSqlSafe, SqlSafeStr};
use steadfast::{
    Slot,
    clock::{Clock, SystemClock},
};

/// Runs `speed` times as fast as the machine's clock, from a common origin on: so do all replicas, and so does the database.
#[derive(Clone, Copy)]
pub(super) struct SpedUp {
    pub(super) origin_ms: u64,
    pub(super) speed: u32,
}

impl SpedUp {
    /// Starts at the real time.
    pub(super) fn starting_now(speed: u32) -> Self {
        Self { origin_ms: unix_millis(SystemTime::now()), speed }
    }

    /// The first slot of the demonstration: at least a minute ahead, so that the replicas are up.
    pub(super) fn first_slot(self) -> Slot {
        Slot::floor(UNIX_EPOCH + Duration::from_millis(self.origin_ms) + Duration::from_secs(119))
    }

    /// The same clock as an SQL expression, in milliseconds.
    pub(super) fn in_sql(self) -> impl SqlSafeStr {
        let Self { origin_ms, speed } = self;
        AssertSqlSafe(format!("{origin_ms} + ((julianday('now') - 2440587.5) * 86400000 - {origin_ms}) * {speed}"))
    }

    /// Two clocks that differ by a moment differ by as much more here.
    pub(super) fn tolerance(self) -> Duration {
        Duration::from_secs(30) * self.speed
    }
}

impl Clock for SpedUp {
    fn now(&self) -> SystemTime {
        let passed = unix_millis(SystemTime::now()).saturating_sub(self.origin_ms);
        UNIX_EPOCH + Duration::from_millis(self.origin_ms + passed * u64::from(self.speed))
    }

    fn sleep(&self, duration: Duration) -> BoxFuture<'static, ()> {
        SystemClock.sleep(duration / self.speed)
    }
}

fn unix_millis(time: SystemTime) -> u64 {
    let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}
