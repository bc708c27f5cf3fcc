//! What other parsers accept or read differently: each with its own fix.

use super::CronError;
use super::field::{Field, Parsed, WEEKDAY};

const EXAMPLE: &str = "0 3 * * *";

/// Anything but five fields.
pub(super) fn no_five_fields(line: &str, tokens: &[&str]) -> CronError {
    let Some(first) = tokens.first() else {
        return CronError::new(
            "",
            format!("this cron line is empty; write minute, hour, day, month and weekday, for example `{EXAMPLE}`"),
        );
    };
    if let Some(error) = zone(first) {
        return error;
    }
    if first.starts_with('@') {
        return nickname(line, tokens);
    }
    let count = tokens.len();
    let message = if count == 6 || count == 7 {
        let five = tokens.get(1..6).unwrap_or_default().join(" ");
        format!(
            "this cron line has {count} fields, and seconds and years are not portable; slots are whole minutes, write `{five}`"
        )
    } else {
        format!(
            "a cron line has five fields, minute, hour, day, month and weekday, and this has {count}; write for example `{EXAMPLE}`"
        )
    };
    CronError::new(line, message)
}

/// `@daily` and its kin.
fn nickname(line: &str, tokens: &[&str]) -> CronError {
    let first = tokens.first().copied().unwrap_or_default();
    let write = match first.to_ascii_lowercase().as_str() {
        "@yearly" | "@annually" => "0 0 1 1 *",
        "@monthly" => "0 0 1 * *",
        "@weekly" => "0 0 * * SUN",
        "@daily" | "@midnight" => "0 0 * * *",
        "@hourly" => "0 * * * *",
        "@every" => return every(line, tokens.get(1).copied().unwrap_or_default()),
        "@reboot" => {
            let message = format!(
                "`@reboot` is no time, and a job runs at its slots; call the function at start, or write for example `{EXAMPLE}`"
            );
            return CronError::new(first, message);
        }
        _ => EXAMPLE,
    };
    CronError::new(
        first,
        format!("`{}` is a nickname that not every parser knows; write `{write}`", first.escape_debug()),
    )
}

/// `@every 5m`: an interval from the start of the process has no slots.
fn every(line: &str, interval: &str) -> CronError {
    let (number, unit) =
        interval.split_at(interval.len() - interval.trim_start_matches(|c: char| c.is_ascii_digit()).len());
    let write = match (number.parse::<u32>(), unit) {
        (Ok(1), "m") => "* * * * *".to_owned(),
        (Ok(n @ 2..=30), "m") if 60 % n == 0 => format!("*/{n} * * * *"),
        (Ok(60), "m") | (Ok(1), "h") => "0 * * * *".to_owned(),
        (Ok(n @ 2..=12), "h") if 24 % n == 0 => format!("0 */{n} * * *"),
        (Ok(24), "h") => "0 0 * * *".to_owned(),
        _ => "*/5 * * * *".to_owned(),
    };
    let message = format!(
        "`@every` counts from the start of a process, and replicas start apart; write slots, for example `{write}`"
    );
    CronError::new(line.trim(), message)
}

/// `TZ=…` and `CRON_TZ=…`.
pub(super) fn zone(first: &str) -> Option<CronError> {
    let is_zone = first.starts_with("TZ=") || first.starts_with("CRON_TZ=");
    let message = || {
        format!(
            "`{}` sets a time zone, and slots are UTC; leave it out and write the hour in UTC",
            first.escape_debug()
        )
    };
    is_zone.then(|| CronError::new(first, message()))
}

/// Day of month and weekday together.
pub(super) fn day_and_weekday(fields: &[&Parsed; 5]) -> CronError {
    let [minute, hour, day, month, weekday] = fields.map(|field| field.text.as_str());
    let message = format!(
        "day of month and weekday together mean both or either, by parser; leave one of them `*` and check it in the body, for example \
         `{minute} {hour} * {month} {}` or `{minute} {hour} {} {month} *`",
        if weekday == "*" { "MON" } else { weekday },
        if day == "*" { "1" } else { day },
    );
    CronError::new(day, message)
}

pub(super) fn never_fires(days: &str) -> CronError {
    CronError::new(
        days,
        format!("this cron line never fires, no month has the day of `{days}`; write a day that exists"),
    )
}

/// Words and signs of other dialects.
pub(super) fn foreign(field: &Field, part: &str) -> Option<CronError> {
    let name = field.name;
    let upper = part.to_ascii_uppercase();
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let is_known = |text: &str| is_number(text) || field.names.contains(&text);
    let has_suffix =
        |sign: char| upper.strip_suffix(sign).is_some_and(|rest| is_known(rest) || rest == "L" && sign == 'W');
    let message = if part.is_empty() {
        format!("{name} has an empty item; write a value on both sides of each `,`")
    } else if part.starts_with('*') {
        format!("`{part}` in {name} mixes `*` with other values; write `*` alone, or the values")
    } else if part.contains('?') {
        format!("`?` in {name} is not portable; write `*`")
    } else if part.contains('#') {
        format!(
            "`{part}` in {name}, the n-th weekday, is not portable; write the weekday, for example `FRI`, and check the slot's day in the body"
        )
    } else if part.contains('~') {
        format!(
            "`~` in {name}, a random value, differs between replicas; choose a value, for example `{}`",
            middle(field)
        )
    } else if upper == "H" || upper.starts_with("H(") || upper.starts_with("H/") {
        format!("`H` in {name}, a hashed value, is not portable; choose a value, for example `{}`", middle(field))
    } else if upper == "LW" || upper == "W" || has_suffix('W') {
        format!(
            "`W` in {name}, the nearest working day, is not portable; write the weekdays, for example `MON-FRI`, and check the slot's day in the body"
        )
    } else if upper == "L" || upper.starts_with("L-") || has_suffix('L') {
        format!(
            "`L` in {name}, the last day, is not portable; write `28-31` in day of month and check the slot's day in the body"
        )
    } else if part.starts_with('+') {
        format!("`+` in {name} is not portable; leave it out")
    } else {
        return if field.numbers { None } else { weekday_numbers(part) };
    };
    Some(CronError::new(part, message))
}

/// Numbers of weekdays: `1-5` is Monday to Friday or Sunday to Thursday.
fn weekday_numbers(part: &str) -> Option<CronError> {
    if !part.split(['-', '/']).next()?.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let (range, step) = part.split_once('/').map_or((part, ""), |(range, step)| (range, step));
    let day = |text: &str| text.parse::<u8>().ok().filter(|day| *day <= 7).map(|day| day % 7);
    let names = match range.split_once('-') {
        Some((first, last)) => day(first).zip(day(last)).map(|(first, last)| wrapped(&WEEKDAY, first, last, true)),
        None => day(range).map(|day| WEEKDAY.write(day, true)),
    };
    let names = names.map_or_else(
        || "MON-FRI".to_owned(),
        |names| if step.is_empty() || names.contains(',') { names } else { format!("{names}/{step}") },
    );
    let message = format!(
        "`{part}` names weekdays by number, and parsers start at Sunday with 0 or with 1; write names, for example `{names}`"
    );
    Some(CronError::new(part, message))
}

/// `5/15`.
pub(super) fn step_of_value(field: &Field, part: &str, value: &str, step: u8) -> CronError {
    let last = field.write(field.max, !field.numbers);
    let message = format!(
        "`{part}` in {} steps from a single value, which not every parser reads; write `{value}-{last}/{step}`",
        field.name
    );
    CronError::new(part, message)
}

/// `NOV-12`.
pub(super) fn mixed_range(field: &Field, part: &str, first: u8, last: u8) -> CronError {
    let write = wrapped(field, first, last, true);
    CronError::new(part, format!("`{part}` mixes a name and a number in one range; write `{write}`"))
}

/// `22-2`, `SAT-SUN`, and ranges of one.
pub(super) fn descending(field: &Field, part: &str, first: u8, last: u8, step: u8, named: bool) -> CronError {
    if first == last {
        let write = field.write(first, named);
        return CronError::new(part, format!("`{part}` is a range of one value; write `{write}`"));
    }
    let write = if step == 1 {
        wrapped(field, first, last, named)
    } else {
        let round = (first..=field.max).chain(field.min..=last).step_by(step.into());
        round.map(|value| field.write(value, named)).collect::<Vec<_>>().join(",")
    };
    CronError::new(
        part,
        format!("`{part}` in {} runs backwards, and parsers disagree about what it holds; write `{write}`", field.name),
    )
}

/// A range, or the two parts of one that runs past the end.
fn wrapped(field: &Field, first: u8, last: u8, named: bool) -> String {
    if first <= last {
        return field.write_range(first, last, named);
    }
    format!("{},{}", field.write_range(first, field.max, named), field.write_range(field.min, last, named))
}

pub(super) fn no_value(field: &Field, part: &str, text: &str) -> CronError {
    let expected = match (field.names, field.numbers) {
        ([], _) => format!("a number from {} to {}", field.min, field.max),
        (_, true) => format!("a number from {} to {} or one of `{}`", field.min, field.max, field.names.join("`, `")),
        (_, false) => format!("one of `{}`", field.names.join("`, `")),
    };
    let upper = text.to_ascii_uppercase();
    let long = field
        .names
        .iter()
        .find(|name| upper.starts_with(**name) && upper.bytes().all(|byte| byte.is_ascii_alphabetic()));
    let text = text.escape_debug();
    let message = match long {
        Some(name) => format!("`{text}` in {} is not known to every parser; write `{name}`", field.name),
        None if text.to_string().is_empty() => {
            format!("`{}` in {} lacks a value; write {expected}", part.escape_debug(), field.name)
        }
        None => format!("`{text}` is no {}; write {expected}", field.name),
    };
    CronError::new(part, message)
}

pub(super) fn out_of_range(field: &Field, part: &str, text: &str) -> CronError {
    let Field { name, min, max, .. } = field;
    let hint = match (*name, text) {
        ("hour", "24") | ("minute", "60") => ", the first is `0`",
        _ => "",
    };
    CronError::new(part, format!("`{text}` is out of range for {name}; write a number from {min} to {max}{hint}"))
}

pub(super) fn step(field: &Field, part: &str, text: &str) -> CronError {
    let max = field.max - field.min;
    let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let message = if is_number && text.bytes().any(|byte| byte != b'0') {
        let first = field.write(field.min, !field.numbers);
        format!(
            "the step of `{part}` is larger than {} allows, at most {max}; write a single value, for example `{first}`",
            field.name
        )
    } else {
        format!("`{}` has no step from 1 to {max}; write for example `*/2`", part.escape_debug())
    };
    CronError::new(part, message)
}

/// A value away from the crowded first ones.
fn middle(field: &Field) -> String {
    field.write(field.min + (field.max - field.min) / 3 + 1, !field.numbers)
}
