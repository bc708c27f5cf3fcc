//! A schedule as five bit masks, and the walk over its slots.
//!
//! The text is parsed, checked and canonicalised by the macro at compile time; nothing is left that could fail at
//! run time. See `docs/rules.md#cron-means-one-thing`.

use super::{civil, slot::Slot};

/// When a job runs: five bit masks, in UTC, to the minute.
///
/// A minute belongs to the schedule when all five masks hold it. `#[job(cron = "…")]` makes a schedule that means the
/// same in every cron dialect (day of month or day of week is always `*`), which is why there is no choice between "and" and
/// "or" here.
///
/// ```
/// use steadfast::{Cron, Slot};
///
/// // `0 3 * * *`: bit n stands for the value n; days and months count from 1, Sunday is 0
/// const NIGHTLY: Cron = Cron::from_masks(1 << 0, 1 << 3, !0, !0, !0);
///
/// let noon = Slot::utc(2026, 1, 2, 12, 0).unwrap();
/// assert_eq!(NIGHTLY.next(noon), Slot::utc(2026, 1, 3, 3, 0));
/// assert_eq!(NIGHTLY.latest(noon), Slot::utc(2026, 1, 2, 3, 0));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Cron {
    minute: u64,
    hour: u32,
    day: u32,
    month: u16,
    weekday: u8,
}

const _: () = assert!(size_of::<Cron>() == 24, "a schedule is 24 bytes: it is copied into every job's constants");

const MINUTES: u64 = (1 << 60) - 1;
const HOURS: u32 = (1 << 24) - 1;
const DAYS: u32 = !1;
const MONTHS: u16 = 0b1_1111_1111_1110;
const WEEKDAYS: u8 = 0b111_1111;

/// How many years a search goes on: 29 February on a given weekday returns after 28 years, 40 across a century that
/// is no leap year. What is not found in that time never comes.
const YEARS: i32 = 40;

/// Seven of these side by side cover a month, whatever weekday it starts with.
const WEEKS: u64 = 1 | 1 << 7 | 1 << 14 | 1 << 21 | 1 << 28;

impl Cron {
    /// A schedule from its masks: bit `n` stands for the value `n` (minutes 0 to 59, hours 0 to 23, days 1 to 31,
    /// months 1 to 12, weekdays 0 to 6 from Sunday). Bits outside these ranges are dropped; an empty mask never fires.
    #[must_use]
    pub const fn from_masks(minute: u64, hour: u32, day: u32, month: u16, weekday: u8) -> Self {
        Self {
            minute: minute & MINUTES,
            hour: hour & HOURS,
            day: day & DAYS,
            month: month & MONTHS,
            weekday: weekday & WEEKDAYS,
        }
    }

    /// The first slot strictly after `after`; `None` when the schedule never fires again.
    ///
    /// Nothing is allocated, and the search is bounded: a schedule that can never fire is answered after 40 years'
    /// worth of months.
    #[must_use]
    #[inline]
    pub fn next(&self, after: Slot) -> Option<Slot> {
        if self.is_empty() {
            return None;
        }
        let (first, minute) = split(after.minutes() + 1);
        let mut day = self.day_from(first)?;
        let mut time = (day == first).then(|| self.time_from(minute)).flatten();
        if time.is_none() {
            if day == first {
                day = self.day_from(first + 1)?;
            }
            time = Some(self.hour.trailing_zeros() * 60 + self.minute.trailing_zeros());
        }
        join(day, time?)
    }

    /// The last slot at or before `at`; `None` when the schedule never fired until then.
    #[must_use]
    #[inline]
    pub fn latest(&self, at: Slot) -> Option<Slot> {
        if self.is_empty() {
            return None;
        }
        let (last, minute) = split(at.minutes());
        let mut day = self.day_until(last)?;
        let mut time = (day == last).then(|| self.time_until(minute)).flatten();
        if time.is_none() {
            if day == last {
                day = self.day_until(last - 1)?;
            }
            time = Some(self.hour.ilog2() * 60 + self.minute.ilog2());
        }
        join(day, time?)
    }

    #[inline]
    const fn is_empty(&self) -> bool {
        self.minute == 0 || self.hour == 0 || self.day == 0 || self.month == 0 || self.weekday == 0
    }

    /// The first minute of a day, from `minute` on.
    #[inline]
    fn time_from(&self, minute: u32) -> Option<u32> {
        let (hour, minute) = (minute / 60, minute % 60);
        let in_hour = self.minute & (!0 << minute);
        if self.hour >> hour & 1 == 1 && in_hour != 0 {
            return Some(hour * 60 + in_hour.trailing_zeros());
        }
        let hours = self.hour & (!1 << hour);
        (hours != 0).then(|| hours.trailing_zeros() * 60 + self.minute.trailing_zeros())
    }

    /// The last minute of a day, up to `minute`.
    #[inline]
    fn time_until(&self, minute: u32) -> Option<u32> {
        let (hour, minute) = (minute / 60, minute % 60);
        let in_hour = self.minute & !(!1 << minute);
        if self.hour >> hour & 1 == 1 && in_hour != 0 {
            return Some(hour * 60 + in_hour.ilog2());
        }
        let hours = self.hour & !(!0 << hour);
        (hours != 0).then(|| hours.ilog2() * 60 + self.minute.ilog2())
    }

    /// The first day of the schedule from `day` on.
    #[inline]
    fn day_from(&self, day: i32) -> Option<i32> {
        if self.day == DAYS && self.month == MONTHS {
            // Most schedules restrict no date, and weekdays need no calendar.
            let rotated = rotate(self.weekday, civil::weekday(day));
            return Some(day + rotated.trailing_zeros().cast_signed());
        }
        self.date_from(day)
    }

    fn date_from(&self, day: i32) -> Option<i32> {
        let (start, mut month, of_month) = civil::civil_from_days(day);
        let (mut year, mut from) = (start, !0 << of_month);
        loop {
            if self.month >> month & 1 == 1 {
                let days = self.days_of(year, month) & from;
                if days != 0 {
                    return Some(civil::days_from_civil(year, month, days.trailing_zeros()));
                }
            }
            from = !0;
            let months = self.month & (!1 << month);
            if months == 0 {
                year += 1;
                if year > start + YEARS {
                    return None;
                }
                month = self.month.trailing_zeros();
            } else {
                month = months.trailing_zeros();
            }
        }
    }

    /// The last day of the schedule up to `day`.
    #[inline]
    fn day_until(&self, day: i32) -> Option<i32> {
        if self.day == DAYS && self.month == MONTHS {
            // Bit 6 is today, bit 0 six days ago.
            let rotated = rotate(self.weekday, (civil::weekday(day) + 1) % 7);
            return Some(day - 6 + rotated.ilog2().cast_signed());
        }
        self.date_until(day)
    }

    fn date_until(&self, day: i32) -> Option<i32> {
        let (start, mut month, of_month) = civil::civil_from_days(day);
        let (mut year, mut until) = (start, !(!1 << of_month));
        loop {
            if self.month >> month & 1 == 1 {
                let days = self.days_of(year, month) & until;
                if days != 0 {
                    return Some(civil::days_from_civil(year, month, days.ilog2()));
                }
            }
            until = !0;
            let months = self.month & !(!0 << month);
            if months == 0 {
                year -= 1;
                if year < start - YEARS || year < 0 {
                    return None;
                }
                month = self.month.ilog2();
            } else {
                month = months.ilog2();
            }
        }
    }

    /// The days of one month that both day masks hold.
    #[inline]
    fn days_of(&self, year: i32, month: u32) -> u32 {
        let in_month = !(!1 << civil::days_in_month(year, month));
        let days = self.day & in_month;
        if self.weekday == WEEKDAYS {
            return days;
        }
        let first = civil::weekday(civil::days_from_civil(year, month, 1));
        // Bit 1 is the first of the month; what is beyond bit 31 belongs to no month.
        #[allow(clippy::cast_possible_truncation, reason = "the bits above 31 are meant to be cut")]
        let on_weekdays = ((u64::from(rotate(self.weekday, first)) * WEEKS) << 1) as u32;
        days & on_weekdays
    }
}

/// The weekday mask as seen from a given weekday: bit 0 is that day, bit 6 the sixth after it.
#[inline]
const fn rotate(weekday: u8, first: u32) -> u8 {
    let twice = weekday as u16 | (weekday as u16) << 7;
    #[allow(clippy::cast_possible_truncation, reason = "seven bits are left")]
    let rotated = (twice >> first) as u8;
    rotated & WEEKDAYS
}

/// Day number and minute of the day.
#[inline]
const fn split(minutes: i64) -> (i32, u32) {
    #[allow(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "the minutes of a slot, or one more: below 3,000,000 days"
    )]
    (minutes.div_euclid(1440) as i32, minutes.rem_euclid(1440) as u32)
}

/// `None` beyond the range of a slot.
#[inline]
const fn join(day: i32, minute: u32) -> Option<Slot> {
    Slot::from_minutes(day as i64 * 1440 + minute as i64)
}

#[cfg(test)]
#[path = "cron_tests.rs"]
mod tests;
