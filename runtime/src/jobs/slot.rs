//! The scheduled minute: what a job is keyed by.

use std::{
    fmt,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use super::civil;
use crate::clock::since_epoch;

/// The scheduled UTC minute of a job's run.
///
/// It comes from the schedule, never from the clock: a run that starts late, on another replica or a second time has
/// the same slot. A job therefore asks for what is due *as of its slot* (`WHERE due_at <= slot`), and a missed slot
/// heals with the next one (`docs/rules.md#ask-for-what-is-due-as-of-the-slot`). The slots of one job only go up, which makes a slot a
/// fencing token and the root of idempotency keys ([`Slot::key`]).
///
/// A slot lies in the years 0 to 9999, the range of RFC 3339. Every constructor floors to the minute and clamps to
/// that range, so nothing here panics or fails.
///
/// ```
/// use steadfast::Slot;
///
/// let slot = Slot::from_unix_seconds(1_767_322_859);           // 03:00:59
/// assert_eq!(slot.to_string(), "2026-01-02T03:00:00Z");
/// assert_eq!(slot.unix_seconds(), 1_767_322_800);
/// assert_eq!(Some(slot), Slot::utc(2026, 1, 2, 3, 0));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Slot {
    /// Minutes since 1970-01-01T00:00Z.
    minutes: i64,
}

impl Slot {
    /// 0000-01-01T00:00Z.
    pub const MIN: Self = Self { minutes: civil::days_from_civil(0, 1, 1) as i64 * 1440 };
    /// 9999-12-31T23:59Z.
    pub const MAX: Self = Self { minutes: civil::days_from_civil(9999, 12, 31) as i64 * 1440 + 1439 };

    /// The slot of `minutes` since the epoch, or `None` outside [`Slot::MIN`]..=[`Slot::MAX`].
    pub(crate) const fn from_minutes(minutes: i64) -> Option<Self> {
        if minutes < Self::MIN.minutes || minutes > Self::MAX.minutes { None } else { Some(Self { minutes }) }
    }

    const fn clamped(minutes: i64) -> Self {
        if minutes < Self::MIN.minutes {
            Self::MIN
        } else if minutes > Self::MAX.minutes {
            Self::MAX
        } else {
            Self { minutes }
        }
    }

    /// The minute that holds this many seconds since 1970-01-01T00:00:00Z.
    #[must_use]
    pub const fn from_unix_seconds(seconds: i64) -> Self {
        Self::clamped(seconds.div_euclid(60))
    }

    /// The minute that holds this many milliseconds since 1970-01-01T00:00:00Z, as schedulers hand it over.
    #[must_use]
    pub const fn from_unix_millis(millis: i64) -> Self {
        Self::clamped(millis.div_euclid(60_000))
    }

    /// The minute that holds `time`.
    ///
    /// ```
    /// use std::time::{Duration, UNIX_EPOCH};
    /// use steadfast::Slot;
    ///
    /// assert_eq!(Slot::floor(UNIX_EPOCH - Duration::from_millis(1)).to_string(), "1969-12-31T23:59:00Z");
    /// ```
    #[must_use]
    pub fn floor(time: SystemTime) -> Self {
        Self::from_unix_seconds(since_epoch(time).0)
    }

    /// The slot of a UTC date and time; `None` when there is no such minute (month 13, 30 February, hour 24).
    ///
    /// ```
    /// use steadfast::Slot;
    ///
    /// assert_eq!(Slot::utc(2028, 2, 29, 0, 0).unwrap().to_string(), "2028-02-29T00:00:00Z");
    /// assert_eq!(Slot::utc(2026, 2, 29, 0, 0), None);
    /// ```
    #[must_use]
    pub const fn utc(year: i32, month: u32, day: u32, hour: u32, minute: u32) -> Option<Self> {
        if year < 0 || year > 9999 || month < 1 || month > 12 || hour > 23 || minute > 59 {
            return None;
        }
        if day < 1 || day > civil::days_in_month(year, month) {
            return None;
        }
        let days = civil::days_from_civil(year, month, day) as i64;
        Some(Self { minutes: days * 1440 + hour as i64 * 60 + minute as i64 })
    }

    /// Minutes since 1970-01-01T00:00Z.
    pub(crate) const fn minutes(self) -> i64 {
        self.minutes
    }

    /// Seconds since 1970-01-01T00:00:00Z, to bind in a statement whose column counts seconds.
    #[must_use]
    pub const fn unix_seconds(self) -> i64 {
        self.minutes * 60
    }

    /// Milliseconds since 1970-01-01T00:00:00Z; the unit of the lease table.
    #[must_use]
    pub const fn unix_millis(self) -> i64 {
        self.minutes * 60_000
    }

    /// The start of the minute.
    ///
    /// A slot that the platform's [`SystemTime`] cannot hold (on Windows: before 1601) is the epoch.
    #[must_use]
    pub fn time(self) -> SystemTime {
        let distance = Duration::from_secs(self.unix_seconds().unsigned_abs());
        let time = if self.minutes < 0 { UNIX_EPOCH.checked_sub(distance) } else { UNIX_EPOCH.checked_add(distance) };
        time.unwrap_or(UNIX_EPOCH)
    }

    /// An idempotency key of this slot: the same for every attempt, on every replica.
    ///
    /// ```
    /// use steadfast::Slot;
    ///
    /// let slot = Slot::utc(2026, 1, 2, 3, 0).unwrap();
    /// assert_eq!(slot.key("digest"), "digest@2026-01-02T03:00:00Z");
    /// ```
    #[must_use]
    pub fn key(self, purpose: &str) -> String {
        format!("{purpose}@{self}")
    }
}

/// RFC 3339, for example `2026-01-02T03:00:00Z`.
impl fmt::Display for Slot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        #[allow(
            clippy::cast_possible_truncation,
            reason = "a slot has at most 2,932,896 days and 1,439 minutes of a day"
        )]
        let (days, of_day) = (self.minutes.div_euclid(1440) as i32, self.minutes.rem_euclid(1440) as u32);
        let (year, month, day) = civil::civil_from_days(days);
        write!(f, "{year:04}-{month:02}-{day:02}T{:02}:{:02}:00Z", of_day / 60, of_day % 60)
    }
}

impl fmt::Debug for Slot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Slot({self})")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extremes_are_clamped_and_go_everywhere() {
        for (slot, text) in [(Slot::MIN, "0000-01-01T00:00:00Z"), (Slot::MAX, "9999-12-31T23:59:00Z")] {
            assert_eq!(slot.to_string(), text);
            assert_eq!(Slot::from_unix_seconds(slot.unix_seconds()), slot);
            assert_eq!(Slot::from_unix_millis(slot.unix_millis()), slot);
            assert_eq!(Slot::floor(slot.time()), slot);
        }
        assert_eq!(Slot::from_unix_seconds(i64::MIN), Slot::MIN);
        assert_eq!(Slot::from_unix_seconds(i64::MAX), Slot::MAX);
        assert_eq!(Slot::from_unix_millis(i64::MIN), Slot::MIN);
        assert_eq!(Slot::from_unix_millis(i64::MAX), Slot::MAX);
    }

    #[test]
    fn minutes_are_floored_on_both_sides_of_the_epoch() {
        let text = |seconds| Slot::from_unix_seconds(seconds).to_string();
        assert_eq!(text(0), "1970-01-01T00:00:00Z");
        assert_eq!(text(59), "1970-01-01T00:00:00Z");
        assert_eq!(text(-1), "1969-12-31T23:59:00Z");
        assert_eq!(text(-60), "1969-12-31T23:59:00Z");
        assert_eq!(text(-61), "1969-12-31T23:58:00Z");
        assert_eq!(Slot::from_unix_millis(-1), Slot::from_unix_seconds(-1));
        assert_eq!(format!("{:?}", Slot::from_unix_seconds(0)), "Slot(1970-01-01T00:00:00Z)");
    }

    #[test]
    fn dates_that_do_not_exist_are_refused() {
        assert_eq!(Slot::utc(1970, 1, 1, 0, 1), Some(Slot::from_unix_seconds(60)));
        for (year, month, day, hour, minute) in [
            (-1, 1, 1, 0, 0),
            (10_000, 1, 1, 0, 0),
            (2026, 0, 1, 0, 0),
            (2026, 13, 1, 0, 0),
            (2026, 4, 31, 0, 0),
            (2100, 2, 29, 0, 0),
            (2026, 1, 0, 0, 0),
            (2026, 1, 1, 24, 0),
            (2026, 1, 1, 0, 60),
        ] {
            assert_eq!(Slot::utc(year, month, day, hour, minute), None);
        }
    }
}
