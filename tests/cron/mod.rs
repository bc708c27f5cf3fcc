//! Cron lines against other people's parsers: what we accept means the same to all, and what they disagree about is refused.

#[path = "../../macros/src/job/cron/mod.rs"]
pub(crate) mod parser;

mod foreign;
mod peers;
mod random;

use std::{collections::BTreeSet, env, process::Command};

use chrono::{DateTime, Utc};
use rand::{SeedableRng as _, rngs::StdRng};
use steadfast::{Cron, Slot};

use self::{
    peers::{DAY, MINUTE, any_second, at, by_cron, by_ours, by_saffron, ours, starts},
    random::Line,
};

/// As `#[job]` expands it.
fn expanded(line: &parser::Cron) -> Cron {
    Cron::from_masks(line.minute, line.hour, line.day, line.month, line.weekday)
}

#[track_caller]
fn accepted(text: &str) -> parser::Cron {
    parser::Cron::parse(text).unwrap_or_else(|errors| panic!("`{text}` is refused: {errors:?}"))
}

/// A seed of today, or the one that failed: `STEADFAST_SEED=… cargo test …`.
fn seed() -> u64 {
    env::var("STEADFAST_SEED").map_or_else(|_| rand::random(), |seed| seed.parse().unwrap())
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

        let starts = starts(&mut random);
        let slots = by_ours(&cron, &starts, 5);
        for text in BTreeSet::from([&line.text, &parsed.text]) {
            assert_eq!(by_cron(text, &starts, 5).as_ref(), Some(&slots), "{told}: cron of `{text}`");
            assert_eq!(by_saffron(text, &starts, 5).as_ref(), Some(&slots), "{told}: saffron of `{text}`");
        }

        let first: Vec<_> = ours(&cron, start).take(5).collect();
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

/// Of any line that we take, both peers read the text that we make of it as we read the line: that text is what a trigger is told. They
/// also read the line itself so, but for the blanks around its fields, which saffron refuses in places. So what they read differently,
/// or one of them refuses, we refuse; or it was a matter of blanks.
#[test]
fn what_parsers_read_differently_is_refused() {
    const MOST: usize = 6;
    let seed = seed();
    let mut random = StdRng::seed_from_u64(seed);
    let (mut differently, mut by_one_only, mut neither, mut taken, mut mended) = (0, 0, 0, 0, 0);
    for _ in 0..12_000 {
        let line = foreign::line(&mut random);
        let told = format!("{line:?}, STEADFAST_SEED={seed}");
        let starts = starts(&mut random);
        let peers = (by_cron(&line, &starts, MOST), by_saffron(&line, &starts, MOST));
        match parser::Cron::parse(&line) {
            Ok(parsed) => {
                taken += 1;
                mended += u32::from(peers.0 != peers.1);
                let slots = by_ours(&expanded(&parsed), &starts, MOST);
                let fields = line.split_ascii_whitespace().collect::<Vec<_>>().join(" ");
                for text in BTreeSet::from([&fields, &parsed.text]) {
                    assert_eq!(by_cron(text, &starts, MOST).as_ref(), Some(&slots), "{told}: cron of `{text}`");
                    assert_eq!(by_saffron(text, &starts, MOST).as_ref(), Some(&slots), "{told}: saffron of `{text}`");
                }
            }
            Err(errors) => {
                assert!(errors.iter().all(|error| error.message.contains("; ")), "{told} names no fix: {errors:?}");
                match peers {
                    (Some(one), Some(other)) => differently += u32::from(one != other),
                    (None, None) => neither += 1,
                    _ => by_one_only += 1,
                }
            }
        }
    }
    let found = format!(
        "{differently} read differently, {by_one_only} by one only, {neither} by neither; {taken} taken, {mended} of them for their blanks"
    );
    assert!(differently > 200 && by_one_only > 500 && neither > 500, "the lines are too tame: {found}");
    assert!(taken > 500 && mended > 20, "a parser that refuses everything would pass: {found}");
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
        let starts = [seconds(start); 3];
        for peer in [by_cron(text, &starts, slots.len()), by_saffron(text, &starts, slots.len())] {
            assert_eq!(peer.unwrap()[0], expected, "{text}");
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
