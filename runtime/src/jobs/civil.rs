//! Days since 1970-01-01 and dates of the proleptic Gregorian calendar, both ways, without a table.
//!
//! The arithmetic is Howard Hinnant's (`chrono-Compatible Low-Level Date Algorithms`), which counts a year from
//! March so that the leap day comes last. It is done in 32 bits: a [`Slot`](super::Slot) lies in the years 0 to 9999.

/// Days in 400 years, after which the calendar repeats, weekdays included.
const CYCLE: i32 = 146_097;
/// From 0000-03-01 to 1970-01-01.
const EPOCH: i32 = 719_468;

/// The day number of a date of the years 0 to 9999; 1970-01-01 is day 0.
#[allow(
    clippy::cast_possible_wrap,
    reason = "year, month and day are small: every intermediate value is below 4,000,000"
)]
pub(crate) const fn days_from_civil(year: i32, month: u32, day: u32) -> i32 {
    // One cycle is added and taken off again, so that the divisions see no negative number.
    let shifted = (year + 400 - (month <= 2) as i32).cast_unsigned();
    let (cycle, of_cycle) = (shifted / 400, shifted % 400);
    let from_march = if month > 2 { month - 3 } else { month + 9 };
    let of_year = (153 * from_march + 2) / 5 + day - 1;
    let of_cycle = of_cycle * 365 + of_cycle / 4 - of_cycle / 100 + of_year;
    (cycle as i32) * CYCLE + of_cycle as i32 - EPOCH - CYCLE
}

/// Year, month (1..=12) and day (1..=31) of a day number of the years 0 to 9999.
#[allow(clippy::cast_possible_wrap, reason = "a year is below 10,400 here")]
pub(crate) const fn civil_from_days(days: i32) -> (i32, u32, u32) {
    let shifted = (days + EPOCH + CYCLE).cast_unsigned();
    let (cycle, of_cycle) = (shifted / CYCLE.cast_unsigned(), shifted % CYCLE.cast_unsigned());
    let year = (of_cycle - of_cycle / 1460 + of_cycle / 36_524 - of_cycle / 146_096) / 365;
    let of_year = of_cycle - (365 * year + year / 4 - year / 100);
    let from_march = (5 * of_year + 2) / 153;
    let day = of_year - (153 * from_march + 2) / 5 + 1;
    let month = if from_march < 10 { from_march + 3 } else { from_march - 9 };
    let year = (year + cycle * 400) as i32 - 400 + (month <= 2) as i32;
    (year, month, day)
}

/// 28 to 31.
pub(crate) const fn days_in_month(year: i32, month: u32) -> u32 {
    if month == 2 {
        28 + (year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)) as u32
    } else {
        // 31 for odd months up to July and for even ones from August on.
        0b1_1110 | (month ^ (month >> 3))
    }
}

/// 0 is Sunday, as in the weekday mask of a schedule. 1970-01-01 was a Thursday.
pub(crate) const fn weekday(days: i32) -> u32 {
    (days + 4).rem_euclid(7).cast_unsigned()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Walks every day of the years 0 to 9999, counting by hand.
    #[test]
    fn every_day_goes_both_ways() {
        let (mut year, mut month, mut day) = (0, 1, 1);
        let first = days_from_civil(0, 1, 1);
        let last = days_from_civil(9999, 12, 31);
        assert_eq!((first, last), (-719_528, 2_932_896));
        assert_eq!(weekday(days_from_civil(2026, 1, 2)), 5, "2026-01-02 is a Friday");
        for days in first..=last {
            assert_eq!(civil_from_days(days), (year, month, day));
            assert_eq!(days_from_civil(year, month, day), days);
            let leap = if year % 100 == 0 { year % 400 == 0 } else { year % 4 == 0 };
            let length = match month {
                2 if leap => 29,
                2 => 28,
                4 | 6 | 9 | 11 => 30,
                _ => 31,
            };
            assert_eq!(days_in_month(year, month), length);
            day += 1;
            if day > length {
                (day, month) = (1, month + 1);
            }
            if month > 12 {
                (month, year) = (1, year + 1);
            }
        }
    }
}
