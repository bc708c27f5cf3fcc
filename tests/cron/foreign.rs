//! Lines as other dialects have them, and as they are mistyped: most are none of ours.

use rand::{RngExt as _, rngs::StdRng};

use super::random::{DAYS, HOURS, Kind, Line, MINUTES, MONTHS, WEEKDAYS};

/// Words and signs of other dialects, wherever they stand.
const WORDS: [&str; 16] =
    ["?", "L", "LW", "W", "15W", "L-3", "L-3W", "5L", "FRIL", "MON#1", "2#2", "H", "~", "**", "", "+3"];
/// Names that are longer than three letters.
const LONG: [&str; 6] = ["Sunday", "thurs", "tues", "January", "Sept", "sep."];
const NICKNAMES: [&str; 9] =
    ["@yearly", "@annually", "@monthly", "@weekly", "@daily", "@midnight", "@hourly", "@reboot", "@every 5m"];
const BLANKS: [&str; 6] = [" ", "  ", "\t", "\n", "\r\n", "\u{a0}"];
/// What a finger finds.
const KEYS: &[u8] = b"0123456789**//--,,  ?LW#@+~=.HMONSUNjanFEB";

pub(super) fn line(random: &mut StdRng) -> String {
    match random.random_range(0..8) {
        0 => whole(random),
        1..3 => mistyped(Line::random(random).text, random),
        _ => {
            let fields = [&MINUTES, &HOURS, &DAYS, &MONTHS, &WEEKDAYS].map(|kind| field(kind, random));
            fields.join(" ")
        }
    }
}

fn one<'a>(of: &[&'a str], random: &mut StdRng) -> &'a str {
    of[random.random_range(0..of.len())]
}

/// What is strange about a line as a whole: nicknames, zones, blanks, more fields or fewer.
fn whole(random: &mut StdRng) -> String {
    let line = Line::random(random).text;
    match random.random_range(0..7) {
        0 => one(&NICKNAMES, random).to_owned(),
        1 => format!("{}{line}", one(&BLANKS, random)),
        2 => format!("{line}{}", one(&BLANKS, random)),
        3 => line.replacen(' ', one(&BLANKS, random), random.random_range(1..5)),
        4 => format!("{} {line}", one(&["0", "*", "*/5", "TZ=UTC", "CRON_TZ=Europe/Berlin"], random)),
        5 => format!("{line} {}", one(&["*", "2027", "2026-2030"], random)),
        _ => line.split_once(' ').map(|(_, rest)| rest.to_owned()).unwrap_or_default(),
    }
}

/// A key too many, one too few, or another one; once or twice.
fn mistyped(line: String, random: &mut StdRng) -> String {
    let mut bytes = line.into_bytes();
    for _ in 0..random.random_range(1..3) {
        let key = KEYS[random.random_range(0..KEYS.len())];
        let place = random.random_range(0..bytes.len());
        match random.random_range(0..3) {
            0 => bytes.insert(place, key),
            1 => bytes[place] = key,
            _ => drop(bytes.remove(place)),
        }
    }
    String::from_utf8(bytes).unwrap()
}

fn field(kind: &Kind, random: &mut StdRng) -> String {
    match random.random_range(0..8) {
        0..4 => "*".to_owned(),
        4 => kind.random(random).text,
        5 => format!("*/{}", step(kind, random)),
        _ => {
            let items: Vec<_> = (0..random.random_range(1..4)).map(|_| item(kind, random)).collect();
            items.join(",")
        }
    }
}

fn item(kind: &Kind, random: &mut StdRng) -> String {
    match random.random_range(0..32) {
        0..12 => value(kind, random),
        12..20 => format!("{}-{}", value(kind, random), value(kind, random)),
        20..26 => format!("{}-{}/{}", value(kind, random), value(kind, random), step(kind, random)),
        26..29 => format!("{}/{}", value(kind, random), step(kind, random)),
        29 => "*".to_owned(),
        30 => one(&WORDS, random).to_owned(),
        _ => one(&LONG, random).to_owned(),
    }
}

/// Also 0 and, of weekdays, 7; sometimes one too large; names in any case.
fn value(kind: &Kind, random: &mut StdRng) -> String {
    let beyond = u32::from(random.random_ratio(1, 40));
    let value = random.random_range(kind.min.saturating_sub(beyond)..=kind.max + beyond);
    let name = kind.names.get(usize::try_from(value.saturating_sub(kind.min)).unwrap());
    match name {
        Some(name) if random.random_ratio(2, 3) => {
            name.chars().map(|letter| if random.random() { letter.to_ascii_uppercase() } else { letter }).collect()
        }
        _ if random.random_ratio(1, 8) => format!("{value:03}"),
        _ => value.to_string(),
    }
}

/// Also 0, and beyond what the field holds.
fn step(kind: &Kind, random: &mut StdRng) -> u32 {
    match random.random_range(0..20) {
        0 => 0,
        1..4 => kind.max - kind.min + random.random_range(0..4),
        _ => random.random_range(1..6),
    }
}
