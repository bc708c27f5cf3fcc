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
    for (number, (month, day, weekday)) in days().enumerate() {
        if !(has(cron.month.into(), month) && has(cron.day.into(), day) && has(cron.weekday.into(), weekday)) {
            continue;
        }
        let number = u32::try_from(number).unwrap_or(u32::MAX);
        if let Some(last) = last {
            nearest = nearest.min(number - last);
        }
        first = first.or(Some(number));
        last = Some(number);
        if nearest == 1 {
            return Some(1);
        }
    }
    Some(nearest.min(first? + CYCLE - last?))
}

/// Month, day and weekday of every day from 2000-01-01, a Saturday, to the end of the cycle.
fn days() -> impl Iterator<Item = (u32, u32, u32)> {
    let dates = (2000..2400)
        .flat_map(|year| (1..=12).flat_map(move |month| (1..=length(year, month)).map(move |day| (month, day))));
    dates.zip((0..7).cycle().skip(6)).map(|((month, day), weekday)| (month, day, weekday))
}

fn length(year: u32, month: u32) -> u32 {
    match month {
        2 if year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400)) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

fn has(mask: u64, bit: u32) -> bool {
    mask >> bit & 1 == 1
}
