//! A wall clock on which a minute takes a fraction of a second, for processes that share a database.

use std::{
    pin::Pin,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use steadfast::{
    Slot,
    clock::{Clock, SystemClock},
};

/// The machine's clock, faster by a factor from a common origin on. Its waits are as much shorter.
///
/// A process whose clock is faked (libfaketime) reads the faked one here; its waits are those of everybody.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SpedUp {
    /// Where both clocks show the same, in milliseconds since the epoch.
    pub origin: i64,
    /// The factor.
    pub speed: u32,
}

impl SpedUp {
    /// Starts at about the real time, a minute before one that five divides; a minute takes so long.
    ///
    /// # Panics
    /// When that is no whole fraction of a minute.
    #[must_use]
    pub fn with_minutes_of(length: Duration) -> Self {
        let (minute, length) = (Duration::from_mins(1).as_millis(), length.as_millis());
        assert!(length > 0 && minute.is_multiple_of(length), "{length} ms is no whole fraction of a minute");
        let (now, speed) = (machine(), u32::try_from(minute / length).expect("a small factor"));
        // So far behind it began, to be there now.
        let five = 5 * 60_000;
        let ahead = (five - 60_000 - now % five).rem_euclid(five);
        Self { origin: now - ahead / i64::from(speed), speed }
    }

    /// What it shows, in milliseconds since the epoch.
    #[must_use]
    pub fn millis(self) -> i64 {
        self.origin + (machine() - self.origin) * i64::from(self.speed)
    }

    /// The slot of this minute.
    #[must_use]
    pub fn slot(self) -> Slot {
        Slot::floor(self.now())
    }

    /// The same clock in PostgreSQL: an expression in milliseconds.
    #[must_use]
    pub fn in_sql(self) -> String {
        let Self { origin, speed } = self;
        format!("CAST({origin} + (EXTRACT(EPOCH FROM clock_timestamp()) * 1000 - {origin}) * {speed} AS BIGINT)")
    }
}

impl Clock for SpedUp {
    fn now(&self) -> SystemTime {
        UNIX_EPOCH + Duration::from_millis(u64::try_from(self.millis()).unwrap_or_default())
    }

    fn sleep(&self, duration: Duration) -> Pin<Box<dyn Future<Output = ()> + Send>> {
        SystemClock.sleep(duration / self.speed)
    }
}

fn machine() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}
