//! The portable subset: every row of the bug reports that shaped it.

use crate::job::cron::Cron;

#[track_caller]
fn cron(text: &str) -> Cron {
    Cron::parse(text).unwrap_or_else(|errors| panic!("`{text}` is refused: {errors:?}"))
}

#[track_caller]
fn refused(text: &str, parts: &[&str]) {
    let errors = Cron::parse(text).expect_err(text);
    let messages: Vec<String> = errors.iter().map(|error| error.message.clone()).collect();
    super::assert_style(&messages);
    super::assert_says(&messages, parts);
    for error in errors {
        assert!(text.contains(&error.token) || error.message.contains(&error.token), "{error:?}");
    }
}

#[test]
fn masks_are_bits_of_values() {
    let nightly = cron("0 3 * * *");
    assert_eq!((nightly.minute, nightly.hour), (1, 1 << 3));
    assert_eq!((nightly.day, nightly.month, nightly.weekday), (!1, 0b1_1111_1111_1110, 0b111_1111));
    let busy = cron("*/15 8-18/2 * JAN,3 MON-FRI");
    assert_eq!(busy.minute, 1 | 1 << 15 | 1 << 30 | 1 << 45);
    assert_eq!(busy.hour, 1 << 8 | 1 << 10 | 1 << 12 | 1 << 14 | 1 << 16 | 1 << 18);
    assert_eq!((busy.month, busy.weekday), (1 << 1 | 1 << 3, 0b11_1110));
    assert_eq!(cron("0 0 1,15,31 * *").day, 1 << 1 | 1 << 15 | 1 << 31);
    assert_eq!(cron("0 0 * * SUN").weekday, 1);
    // Steps begin again with each hour.
    assert_eq!(cron("*/45 * * * *").minute, 1 | 1 << 45);
}

#[test]
fn one_text_for_one_meaning() {
    for (written, canonical) in [
        ("  0\t3  * * * ", "0 3 * * *"),
        ("00 03 * * *", "0 3 * * *"),
        ("0 7 * * mon-Fri", "0 7 * * MON-FRI"),
        ("30,0,15,0 * * * *", "0,15,30 * * * *"),
        ("1,1-5,3 * * * *", "1-5 * * * *"),
        ("*/1 */1 */1 */1 *", "* * * * *"),
        ("0-10/4 * * * *", "0-8/4 * * * *"),
        ("5-9/50 * * * *", "5 * * * *"),
        ("3-7/1 * * * *", "3-7 * * * *"),
        ("0 0 * * sat,SUN", "0 0 * * SUN,SAT"),
        ("0 0 1 feb,jan *", "0 0 1 JAN,FEB *"),
        ("0 0 1 1,JAN *", "0 0 1 1 *"),
        ("0 0 * * */2", "0 0 * * */2"),
    ] {
        let cron_of = cron(written);
        assert_eq!(cron_of.text, canonical, "{written}");
        assert_eq!(cron(canonical), cron_of, "a canonical text is its own");
    }
}

#[test]
fn shortest_gaps_are_exact() {
    const DAY: u32 = 24 * 60;
    for (text, minutes) in [
        ("* * * * *", 1),
        ("*/5 * * * *", 5),
        ("*/45 * * * *", 15),
        ("0 3 * * *", DAY),
        ("0 3,4 * * *", 60),
        ("0 23,1 * * *", 2 * 60),
        ("59,0 0,23 * * *", 1),
        ("0 0 * * MON", 7 * DAY),
        ("0 0 * * MON-FRI", DAY),
        ("0 0 * * FRI,MON", 3 * DAY),
        ("0 0 1 * *", 28 * DAY),
        ("0 0 31 * *", 31 * DAY),
        ("0 0 28,1 * *", DAY),
        ("0 0 29 2 *", 1461 * DAY),
        ("0 0 1 1 *", 365 * DAY),
        ("0 0 1,31 12,1 *", DAY),
    ] {
        assert_eq!(cron(text).shortest_gap(), Some(minutes), "{text}");
    }
}

#[test]
fn weekday_numbers() {
    refused("0 7 * * 1-5", &["`1-5`", "weekdays by number", "`MON-FRI`"]);
    refused("0 16 * * 0", &["`0`", "write names", "`SUN`"]);
    refused("0 3 * * 7", &["`7`", "`SUN`"]);
    refused("0 0 1,15 * 1", &["`1`", "`MON`"]);
    refused("0 0 * * 5-7", &["`5-7`", "`FRI-SAT,SUN`"]);
    refused("0 0 * * 1-5/2", &["`MON-FRI/2`"]);
    refused("0 0 * * 9", &["`MON-FRI`"]);
}

#[test]
fn day_of_month_with_weekday() {
    refused("0 9 1 * MON", &["day of month and weekday together", "`0 9 * * MON`", "`0 9 1 * *`"]);
    refused("0 0 */2 * MON", &["together"]);
    refused("0 0 */1 * MON", &["together"]);
    refused("0 0 1 * */1", &["together"]);
    refused("0 0 13 * FRI", &["together"]);
}

#[test]
fn backward_and_mixed_ranges() {
    refused("0 0 * * SAT-SUN", &["`SAT-SUN`", "runs backwards", "write `SAT,SUN`"]);
    refused("0 0 * * FRI-MON", &["write `FRI-SAT,SUN-MON`"]);
    refused("0 22-2 * * *", &["`22-2`", "write `22-23,0-2`"]);
    refused("0 22-4/3 * * *", &["write `22,1,4`"]);
    refused("0 0 1 NOV-FEB *", &["write `NOV-DEC,JAN-FEB`"]);
    refused("0 0 1 NOV-12 *", &["mixes a name and a number", "write `NOV-DEC`"]);
    refused("5-5 * * * *", &["range of one value", "write `5`"]);
}

#[test]
fn steps() {
    refused("5/15 * * * *", &["`5/15`", "single value", "write `5-59/15`"]);
    refused("*/0 * * * *", &["`*/0`", "1 to 59"]);
    refused("*/60 * * * *", &["larger than minute allows", "`0`"]);
    refused("0 */24 * * *", &["at most 23"]);
    refused("0 0 * * */7", &["at most 6", "`SUN`"]);
    refused("0 0 * * MON/2", &["write `MON-SAT/2`"]);
    refused("*/x * * * *", &["`*/x`"]);
    refused("*/+5 * * * *", &["`*/+5`"]);
    refused("1-5/ * * * *", &["`1-5/`"]);
}

#[test]
fn never_fires() {
    for text in ["0 0 30 2 *", "0 0 31 4,6,9,11 *", "0 0 30-31 FEB *"] {
        refused(text, &["never fires"]);
    }
    cron("0 0 29 2 *");
}

#[test]
fn nicknames_and_intervals() {
    refused("@daily", &["`@daily`", "write `0 0 * * *`"]);
    refused("@weekly", &["write `0 0 * * SUN`"]);
    refused("@monthly", &["write `0 0 1 * *`"]);
    refused("@annually", &["write `0 0 1 1 *`"]);
    refused("@Hourly", &["write `0 * * * *`"]);
    refused("@reboot", &["`@reboot`"]);
    refused("@every 5m", &["`@every`", "`*/5 * * * *`"]);
    refused("@every 2h", &["`0 */2 * * *`"]);
    refused("@every 1h30m", &["`*/5 * * * *`"]);
    refused("@foo", &["`@foo`"]);
}

#[test]
fn fields_and_zones() {
    refused("", &["is empty"]);
    refused("   ", &["is empty"]);
    refused("0 3 * *", &["five fields", "this has 4"]);
    refused("0 0 3 * * *", &["6 fields", "write `0 3 * * *`"]);
    refused("0 0 3 * * * 2026", &["7 fields", "write `0 3 * * *`"]);
    refused("TZ=Europe/Berlin 0 3 * * *", &["`TZ=Europe/Berlin`", "UTC"]);
    refused("CRON_TZ=UTC 0 3 * * *", &["`CRON_TZ=UTC`", "UTC"]);
    refused("TZ=UTC 3 * * *", &["UTC"]);
}

#[test]
fn words_of_other_dialects() {
    refused("0 0 ? * *", &["`?`", "write `*`"]);
    refused("0 0 L * *", &["`L`", "`28-31`"]);
    refused("0 0 L-3 * *", &["`L`"]);
    refused("0 0 * * FRIL", &["`L`"]);
    refused("0 0 15W * *", &["`W`", "`MON-FRI`"]);
    refused("0 0 LW * *", &["`W`"]);
    refused("0 0 * * FRI#2", &["`FRI#2`", "n-th weekday"]);
    refused("H * * * *", &["`H`", "choose a value"]);
    refused("H/15 * * * *", &["`H`"]);
    refused("0~30 * * * *", &["`~`", "choose a value"]);
    refused("0 0 1 * +MON", &["`+`"]);
    refused("*,5 * * * *", &["mixes `*`"]);
}

#[test]
fn values() {
    refused("60 * * * *", &["`60`", "0 to 59", "`0`"]);
    refused("0 24 * * *", &["`24`", "0 to 23"]);
    refused("0 0 0 * *", &["`0`", "1 to 31"]);
    refused("0 0 32 * *", &["`32`"]);
    refused("0 0 1 13 *", &["`13`", "1 to 12"]);
    refused("99999999999 * * * *", &["out of range"]);
    refused("-5 * * * *", &["lacks a value"]);
    refused("1,,2 * * * *", &["empty item"]);
    refused("0 0 * * Sunday", &["`Sunday`", "write `SUN`"]);
    refused("0 0 1 january *", &["write `JAN`"]);
    refused("0 0 * * XYZ", &["`XYZ`", "`SUN`, `MON`"]);
    refused("0\u{a0}3 * * * *", &["`0\\u{a0}3`"]);
    refused("** * * * *", &["mixes `*`"]);
}

#[test]
fn all_mistakes_at_once() {
    let errors = Cron::parse("60 24 0 13 1").expect_err("five mistakes");
    assert_eq!(errors.len(), 5, "{errors:?}");
    assert_eq!(errors.iter().map(|error| error.token.as_str()).collect::<Vec<_>>(), ["60", "24", "0", "13", "1"]);
}

#[test]
fn long_lines_are_bounded() {
    refused(&format!("0{} 3 * * *", "0".repeat(300)), &["bytes"]);
    refused(&format!("{}0 3 * * *", "0,".repeat(61)), &["62 items", "write ranges"]);
}

/// Day by day over two cycles of 400 years, for lines of the shape that decides: which days, months and weekdays.
#[test]
fn nearest_days_are_those_of_a_plain_walk() {
    let is_leap = |year: i32| year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let length = |year: i32, month: usize| match month {
        2 if is_leap(year) => 29,
        _ => [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1],
    };
    for text in [
        "0 0 * * WED",
        "0 0 * 2 SUN,MON",
        "0 0 29 * *",
        "0 0 29 2,3 *",
        "0 0 */9 */5 *",
        "0 0 * 6 */4",
        "0 0 31 1,7,8 *",
    ] {
        let cron = cron(text);
        let (mut number, mut weekday, mut last, mut nearest) = (0, 4, None, u32::MAX); // 1970-01-01, a Thursday
        for year in 1970..2770 {
            for month in 1..=12 {
                for day in 1..=length(year, month) {
                    if cron.month >> month & 1 == 1 && cron.day >> day & 1 == 1 && cron.weekday >> weekday & 1 == 1 {
                        nearest = last.map_or(nearest, |last: u32| nearest.min(number - last));
                        last = Some(number);
                    }
                    number += 1;
                    weekday = (weekday + 1) % 7;
                }
            }
        }
        assert_eq!(cron.shortest_gap(), Some(nearest * 24 * 60), "{text}");
    }
}
