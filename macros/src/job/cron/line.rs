//! Whole lines that other parsers accept or read differently: each with its own fix.

use super::CronError;
use super::field::Parsed;

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

pub(super) fn never_fires(day: &str, month: &str) -> CronError {
    CronError::new(
        &format!("{day} {month}"),
        format!(
            "this cron line never fires, month `{month}` has no day `{day}`; write a day that exists, for example `28`"
        ),
    )
}
