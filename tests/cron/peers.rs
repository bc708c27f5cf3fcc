//! Who reads a line beside us: the crates `cron` and `saffron`, of which the second is the parser of Cloudflare.

use std::{iter, panic};

use ::cron::Schedule;
use chrono::{DateTime, Utc};
use rand::{RngExt as _, rngs::StdRng};
use steadfast::{Cron, Slot};

pub(super) const MINUTE: i64 = 60;
pub(super) const DAY: i64 = 24 * 60 * MINUTE;

/// Where `cron` knows no more years: 2101.
const END: i64 = 4_133_980_800;

/// The first slots after each start.
pub(super) type Slots = [Vec<i64>; 3];
pub(super) type Starts = [i64; 3];

pub(super) fn at(seconds: i64) -> DateTime<Utc> {
    DateTime::from_timestamp(seconds, 0).unwrap()
}

pub(super) fn any_second(random: &mut StdRng) -> i64 {
    random.random_range(1_735_689_600..1_893_456_000) // 2025 to 2029
}

/// Anywhere, and before two ends of a February: of a leap year, and of 2100, which is none.
pub(super) fn starts(random: &mut StdRng) -> Starts {
    let (leap, none) = (1_835_395_170, 4_107_542_340); // 2028-02-28T23:59:30 and 2100-02-28T23:59:00
    [any_second(random), leap, none]
}

pub(super) fn ours(cron: &Cron, start: i64) -> impl Iterator<Item = i64> {
    iter::successors(cron.next(Slot::from_unix_seconds(start)), |slot| cron.next(*slot)).map(Slot::unix_seconds)
}

pub(super) fn by_ours(cron: &Cron, starts: &Starts, most: usize) -> Slots {
    starts.map(|start| ours(cron, start).take(most).take_while(|slot| *slot < END).collect())
}

/// The crate `cron`, which wants seconds and may have years; `None` where it refuses. What has not five fields, it reads as it stands.
pub(super) fn by_cron(line: &str, starts: &Starts, most: usize) -> Option<Slots> {
    let five = line.split_ascii_whitespace().count() == 5;
    let schedule: Schedule = if five { format!("0 {line} *").parse() } else { line.parse() }.ok()?;
    Some(starts.map(|start| schedule.after(&at(start)).take(most).map(|time| time.timestamp()).collect()))
}

/// The crate `saffron`; `None` where it refuses or, as on ranges of months that run backwards, panics.
pub(super) fn by_saffron(line: &str, starts: &Starts, most: usize) -> Option<Slots> {
    panic::catch_unwind(|| {
        let schedule: saffron::Cron = line.parse().ok()?;
        let slots = |start| schedule.clone().iter_after(at(start)).map(|time| time.timestamp());
        Some(starts.map(|start| slots(start).take(most).take_while(|slot| *slot < END).collect()))
    })
    .ok()
    .flatten()
}
