//! Cron lines against other people's parsers: what we accept means the same to all, and what they disagree about is refused.

#[path = "../macros/src/job/cron/mod.rs"]
pub(crate) mod parser;

use std::{env, iter, panic, process::Command};

use ::cron::Schedule;
use chrono::{DateTime, Datelike as _, Days, NaiveDate, Utc};
use rand::{RngExt as _, SeedableRng as _, rngs::StdRng};
use steadfast::{Cron, Slot};

const MINUTE: i64 = 60;
const DAY: i64 = 24 * 60 * MINUTE;

/// As `#[job]` expands it.
fn expanded(line: &parser::Cron) -> Cron {
    Cron::from_masks(line.minute, line.hour, line.day, line.month, line.weekday)
}

#[track_caller]
fn accepted(text: &str) -> parser::Cron {
    parser::Cron::parse(text).unwrap_or_else(|errors| panic!("`{text}` is refused: {errors:?}"))
}

// ------------------------------------------------------------------------------------------------------- the peers

fn at(seconds: i64) -> DateTime<Utc> {
    DateTime::from_timestamp(seconds, 0).unwrap()
}

fn ours(cron: &Cron, start: i64) -> impl Iterator<Item = i64> {
    iter::successors(cron.next(Slot::from_unix_seconds(start)), |slot| cron.next(*slot)).map(Slot::unix_seconds)
}

/// The crate `cron`, which wants seconds; `None` where it refuses.
fn by_cron(line: &str, start: i64) -> Option<Vec<i64>> {
    let schedule: Schedule = format!("0 {line}").parse().ok()?;
    Some(schedule.after(&at(start)).take(5).map(|time| time.timestamp()).collect())
}

/// The crate `saffron`; `None` where it refuses or, as on ranges of months that run backwards, panics.
fn by_saffron(line: &str, start: i64) -> Option<Vec<i64>> {
    let schedule: saffron::Cron = panic::catch_unwind(|| line.parse()).ok()?.ok()?;
    panic::catch_unwind(|| schedule.iter_after(at(start)).take(5).map(|time| time.timestamp()).collect()).ok()
}

// ---------------------------------------------------------------------------------------------------- random lines

/// A seed of today, or the one that failed: `STEADFAST_SEED=… cargo test …`.
fn seed() -> u64 {
    env::var("STEADFAST_SEED").map_or_else(|_| rand::random(), |seed| seed.parse().unwrap())
}

fn any_second(random: &mut StdRng) -> i64 {
    random.random_range(1_735_689_600..1_893_456_000) // 2025 to 2029
}

/// What a field may hold, and which names it has from `min` on.
struct Kind {
    min: u32,
    max: u32,
    names: &'static [&'static str],
}

const MINUTES: Kind = Kind { min: 0, max: 59, names: &[] };
const HOURS: Kind = Kind { min: 0, max: 23, names: &[] };
const DAYS: Kind = Kind { min: 1, max: 31, names: &[] };
const MONTHS: Kind = Kind {
    min: 1,
    max: 12,
    names: &["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"],
};
const WEEKDAYS: Kind = Kind { min: 0, max: 6, names: &["sun", "mon", "tue", "wed", "thu", "fri", "sat"] };

/// A field as text and, made beside it and not from it, as the values it stands for.
struct Field {
    text: String,
    values: Vec<u32>,
}

impl Kind {
    fn any(&self) -> Field {
        Field { text: "*".to_owned(), values: (self.min..=self.max).collect() }
    }

    fn random(&self, random: &mut StdRng) -> Field {
        match random.random_range(0..12) {
            0..3 => self.any(),
            3..5 => {
                let step = random.random_range(1..=self.max - self.min);
                let values = (self.min..=self.max).step_by(step as usize).collect();
                Field { text: format!("*/{step}"), values }
            }
            5..8 => self.one(random),
            _ => {
                let items: Vec<_> = (0..random.random_range(1..5)).map(|_| self.item(random)).collect();
                let text = items.iter().map(|item| item.text.as_str()).collect::<Vec<_>>().join(",");
                Field { text, values: items.into_iter().flat_map(|item| item.values).collect() }
            }
        }
    }

    /// One value, often the last ones: there the months differ.
    fn one(&self, random: &mut StdRng) -> Field {
        let first = if random.random() { self.max - 2 } else { self.min };
        let value = random.random_range(first..=self.max);
        let named = self.named(random);
        Field { text: self.word(value, named, random), values: vec![value] }
    }

    /// Weekdays have no numbers, months may have either.
    fn named(&self, random: &mut StdRng) -> bool {
        !self.names.is_empty() && (self.min == 0 || random.random())
    }

    fn item(&self, random: &mut StdRng) -> Field {
        let named = self.named(random);
        let first = random.random_range(self.min..=self.max);
        if first == self.max || random.random_ratio(1, 2) {
            return Field { text: self.word(first, named, random), values: vec![first] };
        }
        let last = random.random_range(first + 1..=self.max);
        let range = format!("{}-{}", self.word(first, named, random), self.word(last, named, random));
        if random.random() {
            return Field { text: range, values: (first..=last).collect() };
        }
        let step = random.random_range(1..=self.max - self.min);
        Field { text: format!("{range}/{step}"), values: (first..=last).step_by(step as usize).collect() }
    }

    fn word(&self, value: u32, named: bool, random: &mut StdRng) -> String {
        if !named {
            return if random.random_ratio(1, 8) { format!("{value:02}") } else { value.to_string() };
        }
        let name = self.names[(value - self.min) as usize];
        if random.random() { name.to_uppercase() } else { name.to_owned() }
    }
}

/// A line of the portable subset.
struct Line {
    text: String,
    /// Minutes of a day, in order.
    minutes: Vec<bool>,
    days: Vec<u32>,
    months: Vec<u32>,
    weekdays: Vec<u32>,
}

impl Line {
    fn random(random: &mut StdRng) -> Self {
        let (minute, hour) = if random.random_ratio(1, 3) {
            (MINUTES.one(random), HOURS.one(random))
        } else {
            (MINUTES.random(random), HOURS.random(random))
        };
        let month = MONTHS.random(random);
        let (day, weekday) = match random.random_range(0..3) {
            0 => (DAYS.any(), WEEKDAYS.any()),
            1 => (DAYS.random(random), WEEKDAYS.any()),
            _ => (DAYS.any(), WEEKDAYS.random(random)),
        };
        let space = if random.random_ratio(1, 8) { " \t " } else { " " };
        let text = [&minute, &hour, &day, &month, &weekday].map(|field| field.text.as_str()).join(space);
        let minutes = (0..24 * 60)
            .map(|time| hour.values.contains(&(time / 60)) && minute.values.contains(&(time % 60)))
            .collect();
        Self { text, minutes, days: day.values, months: month.values, weekdays: weekday.values }
    }

    fn holds(&self, date: NaiveDate) -> bool {
        self.months.contains(&date.month())
            && self.days.contains(&date.day())
            && self.weekdays.contains(&date.weekday().num_days_from_sunday())
    }

    /// Does any month have such a day? 2028 has a 29th of February.
    fn fires(&self) -> bool {
        self.months
            .iter()
            .any(|month| self.days.iter().any(|day| NaiveDate::from_ymd_opt(2028, *month, *day).is_some()))
    }

    /// All slots of a window, but at most so many: day by day, and minute by minute in each day that holds.
    fn walk(&self, after: i64, until: i64, most: usize) -> Vec<i64> {
        let mut found = Vec::new();
        let mut date = at(after).date_naive();
        let mut midnight = after - after.rem_euclid(DAY);
        while midnight < until && found.len() < most {
            if self.holds(date) {
                let times =
                    (0..).zip(&self.minutes).filter(|(_, holds)| **holds).map(|(time, _)| midnight + time * MINUTE);
                found.extend(times.filter(|slot| *slot > after && *slot < until).take(most - found.len()));
            }
            (date, midnight) = (date + Days::new(1), midnight + DAY);
        }
        found
    }
}

// ------------------------------------------------------------------------------------------------------- agreement

#[test]
fn ten_thousand_lines_mean_the_same_to_all() {
    const MOST: usize = 8;
    const WINDOW: i64 = 400 * DAY;
    let seed = seed();
    let mut random = StdRng::seed_from_u64(seed);
    let (mut lines, mut never, mut cut_short) = (0, 0, 0);
    while lines < 10_000 {
        let line = Line::random(&mut random);
        let told = format!("`{}`, STEADFAST_SEED={seed}", line.text);
        if !line.fires() {
            never += 1;
            let errors = parser::Cron::parse(&line.text).expect_err(&told);
            assert!(errors[0].message.contains("never fires"), "{told}: {errors:?}");
            continue;
        }
        lines += 1;
        let parsed = accepted(&line.text);
        assert_eq!(parser::Cron::parse(&parsed.text).as_ref(), Ok(&parsed), "{told}: the canonical text is its own");

        let cron = expanded(&parsed);
        let start = any_second(&mut random);
        let until = start + WINDOW;
        let expected = line.walk(start, until, MOST);
        cut_short += usize::from(expected.len() < MOST);
        let found: Vec<_> = ours(&cron, start).take(MOST).take_while(|slot| *slot < until).collect();
        assert_eq!(found, expected, "{told}, from {}", at(start));

        let first: Vec<_> = ours(&cron, start).take(5).collect();
        assert_eq!(by_cron(&parsed.text, start).as_ref(), Some(&first), "{told}: cron, from {}", at(start));
        assert_eq!(by_saffron(&parsed.text, start).as_ref(), Some(&first), "{told}: saffron, from {}", at(start));

        // Backwards, the same slots: at a slot it is the latest, and until then it was the one before.
        let mut before = cron.latest(Slot::from_unix_seconds(start)).map(Slot::unix_seconds);
        assert!(before.is_some_and(|slot| slot <= start), "{told}: {before:?}");
        assert_eq!(before.and_then(|slot| ours(&cron, slot).next()), first.first().copied(), "{told}");
        for slot in first {
            let latest = |at| cron.latest(Slot::from_unix_seconds(at)).map(Slot::unix_seconds);
            assert_eq!(latest(slot - MINUTE), before, "{told}: before {}", at(slot));
            assert_eq!(latest(slot), Some(slot), "{told}: at {}", at(slot));
            before = Some(slot);
        }
    }
    assert!(never > 0 && cut_short > 100, "the lines are too tame: {never} never fire, {cut_short} are sparse");
}

/// The gap that the length of a lease is checked against, seen on the calendar: never shorter, and as short as said.
#[test]
fn the_shortest_gap_is_the_one_observed() {
    let seed = seed();
    let mut random = StdRng::seed_from_u64(seed);
    for _ in 0..300 {
        let Ok(line) = parser::Cron::parse(&Line::random(&mut random).text) else { continue };
        let computed = i64::from(line.shortest_gap().unwrap()) * MINUTE;
        let start = any_second(&mut random);
        let (mut before, mut shortest, mut gaps) = (None, i64::MAX, 0);
        // All of it repeats after 400 years.
        for slot in ours(&expanded(&line), start).take_while(|slot| *slot < start + 146_097 * DAY + 10 * 366 * DAY) {
            shortest = before.map_or(shortest, |before| shortest.min(slot - before));
            before = Some(slot);
            gaps += 1;
            if shortest <= computed && gaps > 2_000 {
                break;
            }
        }
        assert_eq!(shortest, computed, "`{}`, STEADFAST_SEED={seed}", line.text);
    }
}

// ---------------------------------------------------------------------------------------------------- disagreement

/// A field of what other dialects allow: any number, ranges either way, steps of a value.
fn foreign_field(kind: &Kind, random: &mut StdRng) -> String {
    let weekday = kind.max == 6;
    let any = |random: &mut StdRng| {
        let value = random.random_range(kind.min..=kind.max + u32::from(weekday));
        match kind.names.get((value - kind.min) as usize) {
            Some(name) if random.random() => name.to_uppercase(),
            _ => value.to_string(),
        }
    };
    match random.random_range(0..14) {
        0..6 => "*".to_owned(),
        6 => format!("*/{}", random.random_range(1..=kind.max + 2)),
        7 => format!("{}/{}", any(random), random.random_range(1..8)),
        8..10 => format!("{}-{}", any(random), any(random)),
        10 => format!("{}-{}/{}", any(random), any(random), random.random_range(1..4)),
        11 => format!("{},{}", any(random), any(random)),
        12 => any(random),
        _ => (*["?", "L", "*,1", "**", "LW", "1W", "MON#1", "H", "Sunday"].get(random.random_range(0..9)).unwrap())
            .to_owned(),
    }
}

#[test]
fn what_parsers_read_differently_is_refused() {
    let seed = seed();
    let mut random = StdRng::seed_from_u64(seed);
    let (mut differently, mut by_one_only, mut agreed) = (0, 0, 0);
    for _ in 0..6_000 {
        let fields = [&MINUTES, &HOURS, &DAYS, &MONTHS, &WEEKDAYS].map(|kind| foreign_field(kind, &mut random));
        let line = fields.join(" ");
        let start = any_second(&mut random);
        let ours = parser::Cron::parse(&line);
        match (by_cron(&line, start), by_saffron(&line, start)) {
            (Some(one), Some(other)) if one == other => {
                // Alike here need not be alike everywhere, but what we take must be alike.
                agreed += i32::from(ours.is_ok());
                continue;
            }
            (Some(_), Some(_)) => differently += 1,
            (None, None) => {}
            _ => by_one_only += 1,
        }
        let errors = ours.expect_err(&format!("`{line}`, STEADFAST_SEED={seed}"));
        assert!(errors.iter().all(|error| error.message.contains("; ")), "`{line}` names no fix: {errors:?}");
    }
    assert!(differently > 100, "only {differently} lines were read differently");
    assert!(by_one_only > 100, "only {by_one_only} lines were read by one and refused by the other");
    assert!(agreed > 50, "only {agreed} lines were taken: a parser that refuses everything would pass");
}

// ----------------------------------------------------------------------------------------------------- bug reports

/// Lines of bug reports that mean one thing: from when, and the slots that follow.
const MEANT: [(&str, &str, &[&str]); 9] = [
    (
        "0 7 * * MON-FRI",
        "2026-01-02T07:00",
        &["2026-01-05T07:00", "2026-01-06T07:00", "2026-01-07T07:00", "2026-01-08T07:00"],
    ),
    ("0 0 * * SUN", "2026-01-01T00:00", &["2026-01-04T00:00", "2026-01-11T00:00", "2026-01-18T00:00"]),
    (
        "0 0 * * SAT,SUN",
        "2026-01-01T00:00",
        &["2026-01-03T00:00", "2026-01-04T00:00", "2026-01-10T00:00", "2026-01-11T00:00"],
    ),
    ("0 0 29 2 *", "2026-01-01T00:00", &["2028-02-29T00:00", "2032-02-29T00:00", "2036-02-29T00:00"]),
    // Steps begin again with each hour.
    (
        "*/45 * * * *",
        "2026-01-01T00:00",
        &["2026-01-01T00:45", "2026-01-01T01:00", "2026-01-01T01:45", "2026-01-01T02:00"],
    ),
    (
        "0 0 31 * *",
        "2026-01-31T00:00",
        &["2026-03-31T00:00", "2026-05-31T00:00", "2026-07-31T00:00", "2026-08-31T00:00"],
    ),
    ("0 0 1,16,31 * *", "2028-02-18T00:00", &["2028-03-01T00:00", "2028-03-16T00:00", "2028-03-31T00:00"]),
    // Where Europe turns its clocks.
    ("0 2 * * *", "2026-03-28T02:00", &["2026-03-29T02:00", "2026-03-30T02:00"]),
    ("0 2 * * *", "2026-10-24T02:00", &["2026-10-25T02:00", "2026-10-26T02:00"]),
];

#[test]
fn lines_of_bug_reports_mean_one_thing() {
    for (text, start, slots) in MEANT {
        let seconds = |text: &str| format!("{text}:00Z").parse::<DateTime<Utc>>().unwrap().timestamp();
        let expected: Vec<_> = slots.iter().map(|slot| seconds(slot)).collect();
        let found: Vec<_> = ours(&expanded(&accepted(text)), seconds(start)).take(slots.len()).collect();
        assert_eq!(found, expected, "{text}");
        for peer in [by_cron(text, seconds(start)), by_saffron(text, seconds(start))] {
            assert_eq!(peer.unwrap()[..slots.len()], expected, "{text}");
        }
    }
}

/// `TZ` is of no interest: slots are UTC.
#[test]
fn the_zone_of_the_process_changes_nothing() {
    let this = env::current_exe().unwrap();
    let test = ["cron::lines_of_bug_reports_mean_one_thing", "--exact"];
    let run = Command::new(this).args(test).env("TZ", "Europe/Berlin").output().unwrap();
    let told = String::from_utf8_lossy(&run.stdout);
    assert!(run.status.success() && told.contains("1 passed"), "{told}");
}

#[test]
fn one_text_for_two_spellings() {
    let (one, other) = (accepted("0  3 * * *"), accepted("0 3 * * *"));
    assert_eq!(one, other);
    assert_eq!(one.text, "0 3 * * *");
}

/// The rest of the reports: the token that is refused, and what to write.
#[test]
fn lines_of_bug_reports_that_mean_two_things_are_refused() {
    for (text, token, fix) in [
        ("0 7 * * 1-5", "1-5", "`MON-FRI`"),
        ("0 16 * * 0", "0", "`SUN`"),
        ("0 3 * * 7", "7", "`SUN`"),
        ("0 9 1 * MON", "1", "`0 9 * * MON` or `0 9 1 * *`"),
        ("0 0 */2 * MON", "*/2", "`0 0 * * MON` or `0 0 */2 * *`"),
        ("0 0 */1 * MON", "*", "`0 0 * * MON`"),
        ("0 0 * * SAT-SUN", "SAT-SUN", "`SAT,SUN`"),
        ("0 0 30 2 *", "30 2", "never fires"),
        ("0 0 31 4,6,9,11 *", "31 4,6,9,11", "never fires"),
        ("TZ=Europe/Berlin 0 3 * * *", "TZ=Europe/Berlin", "write the hour in UTC"),
        ("CRON_TZ=UTC 0 3 * * *", "CRON_TZ=UTC", "write the hour in UTC"),
        ("0 0 3 * * *", "0 0 3 * * *", "write `0 3 * * *`"),
        ("@daily", "@daily", "write `0 0 * * *`"),
        ("@every 5m", "@every 5m", "`*/5 * * * *`"),
        ("5/15 * * * *", "5/15", "`5-59/15`"),
        ("*/60 * * * *", "*/60", "at most 59"),
        ("0 22-2 * * *", "22-2", "`22-23,0-2`"),
        ("0 0 1 NOV-12 *", "NOV-12", "`NOV-DEC`"),
    ] {
        let errors = parser::Cron::parse(text).expect_err(text);
        let [error] = &errors[..] else { panic!("`{text}`: {errors:?}") };
        assert_eq!(error.token, token, "`{text}`: {}", error.message);
        assert!(error.message.contains(fix), "`{text}`: {}", error.message);
    }
}
