//! Durations as they are written, and as they are shown.

use std::time::Duration;

use proc_macro2::Span;
use syn::LitStr;

use crate::duration::{display, parse};

fn read(text: &str) -> Result<Duration, String> {
    parse(&LitStr::new(text, Span::call_site())).map_err(|error| error.to_string())
}

#[test]
fn a_number_and_a_unit() {
    for (text, millis) in [("50ms", 50), ("2s", 2_000), ("5m", 300_000), ("1h", 3_600_000), ("0s", 0), ("007s", 7_000)]
    {
        assert_eq!(read(text), Ok(Duration::from_millis(millis)), "{text}");
    }
}

#[test]
fn anything_else_is_shown_the_right_form() {
    for (text, parts) in [
        ("", ["no duration", "`5m`"]),
        ("m", ["no duration", "`5m`"]),
        ("-5m", ["no duration", "`5m`"]),
        ("5", ["no unit", "`5s`"]),
        ("1.5s", ["fraction", "`1500ms`"]),
        ("5 m", ["space", "write `5m`"]),
        ("5 minutes", ["units", "write `5m`"]),
        ("30sec", ["units", "write `30s`"]),
        ("2 Hours", ["units", "write `2h`"]),
        ("3d", ["unknown unit `d`", "`ms`"]),
        ("1h30m", ["unknown unit `h30m`", "`ms`"]),
        ("9999999999999999999h", ["longer than a year", "shorter"]),
        ("99999999h", ["longer than a year", "shorter"]),
    ] {
        let message = read(text).expect_err(text);
        super::assert_style(std::slice::from_ref(&message));
        super::assert_says(&[message], &parts);
    }
    assert!(read(&"1".repeat(10_000)).expect_err("long").contains("this literal has 10000"));
}

/// A paste gone wrong, or somebody who wants the compiler busy.
#[test]
fn a_literal_of_a_mebibyte_is_refused_at_once() {
    for piece in ["1", " ", "5m", "-", "\u{feff}"] {
        let literal = LitStr::new(&piece.repeat((1 << 20) / piece.len()), Span::call_site());
        let message = parse(&literal).expect_err("long").to_string();
        assert!(message.len() < 200, "{message}");
    }
}

#[test]
fn shown_as_a_person_writes_them() {
    for (millis, text) in [
        (1, "1 ms"),
        (350, "350 ms"),
        (1_000, "1 s"),
        (1_400, "1.4 s"),
        (1_999, "2 s"),
        (14_285, "14.29 s"),
        (90_000, "1.5 min"),
        (3_600_000, "1 h"),
    ] {
        assert_eq!(display(Duration::from_millis(millis)), text);
    }
}

/// `fuzz/fuzz_targets/duration.rs`, in process.
#[test]
fn no_text_panics() {
    super::in_process::run("duration", |input| match read(&String::from_utf8_lossy(input)) {
        Ok(duration) => drop(display(duration)),
        Err(message) => assert!(message.len() < 4096, "{message}"),
    });
}
