//! The walk over slots against an oracle that asks every minute.

use rand::{RngExt as _, SeedableRng as _, rngs::StdRng};

use super::*;

fn slot(year: i32, month: u32, day: u32, hour: u32, minute: u32) -> Slot {
    Slot::utc(year, month, day, hour, minute).expect("a date that exists")
}

/// Does the schedule hold this minute? Asked of the rendered date, bit by bit: none of the code under test but `civil`,
/// which has its own oracle.
fn holds(cron: Cron, minutes: i64) -> bool {
    let (day, minute) = split(minutes);
    let (_, month, of_month) = civil::civil_from_days(day);
    cron.minute >> (minute % 60) & 1 == 1
        && cron.hour >> (minute / 60) & 1 == 1
        && cron.day >> of_month & 1 == 1
        && cron.month >> month & 1 == 1
        && cron.weekday >> civil::weekday(day) & 1 == 1
}

/// A mask over `low..=high` that holds everything, one value, a step or noise.
fn mask(rng: &mut StdRng, low: u32, high: u32) -> u64 {
    match rng.random_range(0..4) {
        0 => !0,
        1 => 1 << rng.random_range(low..=high),
        2 => (low..=high).step_by(rng.random_range(1..=high as usize)).fold(0, |mask, n| mask | 1 << n),
        _ => rng.random::<u64>() | 1 << rng.random_range(low..=high),
    }
}

#[allow(clippy::cast_possible_truncation, reason = "masks are cut to their field")]
fn random(rng: &mut StdRng) -> Cron {
    let (day, weekday) = match rng.random_range(0..4) {
        0 => (!0, mask(rng, 0, 6)),
        1 => (mask(rng, 1, 31), mask(rng, 0, 6)),
        _ => (mask(rng, 1, 31), !0),
    };
    Cron::from_masks(mask(rng, 0, 59), mask(rng, 0, 23) as u32, day as u32, mask(rng, 1, 12) as u16, weekday as u8)
}

#[test]
fn equal_to_a_minute_by_minute_oracle() {
    let mut rng = StdRng::seed_from_u64(17);
    for case in 0..600 {
        let cron = random(&mut rng);
        let start = slot(2020, 1, 1, 0, 0).minutes() + rng.random_range(0..10 * 366 * 1440);
        let mut expected = None;
        let mut from = start;
        for minutes in start + 1..start + 40 * 1440 {
            if holds(cron, minutes) {
                expected = Some(minutes);
                // Slot by slot, and from one minute before each.
                let at = |minutes| Slot::from_minutes(minutes).expect("in range");
                assert_eq!(cron.next(at(from)), Some(at(minutes)), "case {case}: {cron:?} after {from}");
                assert_eq!(cron.next(at(minutes - 1)), Some(at(minutes)), "case {case}: {cron:?}");
                assert_eq!(cron.latest(at(minutes)), Some(at(minutes)), "case {case}: {cron:?}");
                if minutes > start + 1 && from > start {
                    assert_eq!(cron.latest(at(minutes - 1)), Some(at(from)), "case {case}: {cron:?}");
                }
                from = minutes;
            }
        }
        if let (None, Some(next)) = (expected, cron.next(Slot::from_minutes(start).expect("in range"))) {
            assert!(holds(cron, next.minutes()) && next.minutes() >= start + 40 * 1440, "case {case}: {cron:?}");
        }
    }
}

#[test]
fn dates_from_the_reports() {
    let walk = |cron: Cron, from: Slot| std::iter::successors(cron.next(from), move |slot| cron.next(*slot));
    let weekdays = Cron::from_masks(1, 1 << 7, !0, !0, 0b011_1110);
    let found: Vec<_> = walk(weekdays, slot(2026, 1, 2, 7, 0)).take(2).collect();
    assert_eq!(found, [slot(2026, 1, 5, 7, 0), slot(2026, 1, 6, 7, 0)]);

    let weekend = Cron::from_masks(1, 1, !0, !0, 0b100_0001);
    let found: Vec<_> = walk(weekend, slot(2026, 1, 1, 0, 0)).take(4).collect();
    assert_eq!(found, [3, 4, 10, 11].map(|day| slot(2026, 1, day, 0, 0)));

    let thirty_first = Cron::from_masks(1, 1, 1 << 31, !0, !0);
    let found: Vec<_> = walk(thirty_first, slot(2026, 1, 31, 0, 0)).take(4).collect();
    assert_eq!(found, [3, 5, 7, 8].map(|month| slot(2026, month, 31, 0, 0)));

    let leap_day = Cron::from_masks(1, 1, 1 << 29, 1 << 2, !0);
    let found: Vec<_> = walk(leap_day, slot(2026, 1, 1, 0, 0)).take(3).collect();
    assert_eq!(found, [2028, 2032, 2036].map(|year| slot(year, 2, 29, 0, 0)));
    assert_eq!(leap_day.next(slot(2096, 2, 29, 0, 0)), Some(slot(2104, 2, 29, 0, 0)));
    assert_eq!(leap_day.latest(slot(2104, 2, 28, 23, 59)), Some(slot(2096, 2, 29, 0, 0)));

    let every_45 = Cron::from_masks(1 | 1 << 45, !0, !0, !0, !0);
    let found: Vec<_> = walk(every_45, slot(2026, 1, 1, 0, 0)).take(3).collect();
    assert_eq!(found, [slot(2026, 1, 1, 0, 45), slot(2026, 1, 1, 1, 0), slot(2026, 1, 1, 1, 45)]);
}

/// The bound of the search is long enough for the rarest schedule there is, in all 400 years of the calendar.
#[test]
fn a_leap_day_on_a_given_weekday_is_always_found() {
    for weekday in 0..7 {
        let cron = Cron::from_masks(1, 1, 1 << 29, 1 << 2, 1 << weekday);
        let mut at = slot(2000, 1, 1, 0, 0);
        let mut before: Option<Slot> = None;
        while at < slot(2450, 1, 1, 0, 0) {
            let next = cron.next(at).expect("found");
            assert!(holds(cron, next.minutes()));
            let latest = Slot::from_minutes(next.minutes() - 1).and_then(|at| cron.latest(at));
            assert!(before.is_none() || latest == before);
            (at, before) = (next, Some(next));
        }
    }
}

#[test]
fn a_schedule_that_never_fires_ends() {
    let never = [
        Cron::from_masks(1, 1, 1 << 30, 1 << 2, !0),
        Cron::from_masks(1, 1, 1 << 31, 1 << 4 | 1 << 6, !0),
        Cron::from_masks(0, 1, !0, !0, !0),
        Cron::from_masks(1, 0, !0, !0, !0),
        Cron::from_masks(1, 1, 1, !0, !0),
        Cron::from_masks(1, 1, !0, 1, !0),
        Cron::from_masks(1, 1, !0, !0, 1 << 7),
    ];
    for cron in never {
        for at in [Slot::MIN, slot(2026, 1, 1, 0, 0), Slot::MAX] {
            assert_eq!((cron.next(at), cron.latest(at)), (None, None), "{cron:?}");
        }
    }
}

#[test]
fn the_ends_of_the_range() {
    let always = Cron::from_masks(!0, !0, !0, !0, !0);
    assert_eq!(always.next(Slot::MAX), None);
    assert_eq!(always.latest(Slot::MAX), Some(Slot::MAX));
    assert_eq!(always.latest(Slot::MIN), Some(Slot::MIN));
    let last = Cron::from_masks(1 << 59, 1 << 23, 1 << 31, 1 << 12, !0);
    assert_eq!(last.next(slot(9999, 1, 1, 0, 0)), Some(Slot::MAX));
    assert_eq!(last.next(Slot::MAX), None);
    assert_eq!(last.latest(Slot::MIN), None);
    let sundays = Cron::from_masks(1, 1, !0, !0, 1);
    assert_eq!(sundays.latest(Slot::MIN), None, "0000-01-01 is a Saturday");
    assert_eq!(sundays.next(Slot::MIN), Some(slot(0, 1, 2, 0, 0)));
}
