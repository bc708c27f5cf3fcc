//! How often a line fires, on the real calendar.

use super::Cron;

/// The Gregorian calendar, weekdays included, repeats after 400 years.
const CYCLE: u32 = 146_097;
const MINUTES_PER_DAY: u32 = 24 * 60;

/// Exact: every matching day has the same minutes, so the shortest gap is either within a day or between the nearest
/// two matching days.
pub(super) fn shortest_gap(cron: &Cron) -> Option<u32> {
    let days = nearest_days(cron)?;
    let mut minutes =
        (0..MINUTES_PER_DAY).filter(|minute| has(cron.hour.into(), minute / 60) && has(cron.minute, minute % 60));
    let first = minutes.next()?;
    let (mut last, mut shortest) = (first, u32::MAX);
    for minute in minutes {
        shortest = shortest.min(minute - last);
        last = minute;
    }
    Some(shortest.min(days * MINUTES_PER_DAY + first - last))
}

/// The fewest days from one matching day to the next.
fn nearest_days(cron: &Cron) -> Option<u32> {
    let (mut first, mut last, mut nearest) = (None, None, CYCLE);
    for day in matching_days(cron) {
        if let Some(last) = last {
            nearest = nearest.min(day - last);
        }
        if nearest == 1 {
            return Some(1);
        }
        first = first.or(Some(day));
        last = Some(day);
    }
    Some(nearest.min(first? + CYCLE - last?))
}

/// The numbers of the matching days of one cycle, from 2000-01-01, a Saturday.
fn matching_days(cron: &Cron) -> impl Iterator<Item = u32> {
    let (month_mask, day_mask, weekday_mask) = (u64::from(cron.month), cron.day, u32::from(cron.weekday));
    let months = (2000..2400).flat_map(|year| (1..=12).map(move |month| (month, length(year, month))));
    let months = months.scan(0, |next, (month, length)| {
        let start = *next;
        *next += length;
        Some((month, length, start))
    });
    months.filter(move |(month, ..)| has(month_mask, *month)).flat_map(move |(_, length, start)| {
        // Bit 0 becomes the weekday of the first of the month, and the week is laid out over the month.
        let weekday = (start + 6) % 7;
        let week = (weekday_mask | weekday_mask << 7) >> weekday & 0b111_1111;
        let weeks = (0..5).fold(0, |all: u64, number| all | u64::from(week) << (7 * number));
        let days = weeks << 1 & u64::from(day_mask) & ((2 << length) - 1);
        bits(days).map(move |day| start + day - 1)
    })
}

fn length(year: u32, month: u32) -> u32 {
    match month {
        2 if year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400)) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// The set bits, from the lowest.
fn bits(mut mask: u64) -> impl Iterator<Item = u32> {
    std::iter::from_fn(move || {
        let bit = mask.trailing_zeros();
        mask &= mask.checked_sub(1)?;
        Some(bit)
    })
}

fn has(mask: u64, bit: u32) -> bool {
    mask >> bit & 1 == 1
}
