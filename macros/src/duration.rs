//! Durations as they are written in attributes: `50ms`, `2s`, `5m`, `1h`.

use std::time::Duration;

use syn::LitStr;

use crate::error::bail;

/// Far beyond any timeout; it keeps all later arithmetic in range.
const MAX: Duration = Duration::from_hours(365 * 24);

/// Reads one duration; the error is on the literal.
pub(crate) fn parse(literal: &LitStr) -> syn::Result<Duration> {
    crate::literal::one(&literal.token(), "a duration")?;
    let text = literal.value();
    let compact: String = text.chars().filter(|c| !c.is_whitespace()).collect();
    let digits = compact.chars().take_while(char::is_ascii_digit).count();
    let (number, unit) = compact.split_at(digits);
    if number.is_empty() {
        bail!(literal, "`{}` is no duration; write a number and a unit, for example `5m`", text.escape_debug());
    }
    if unit.starts_with('.') {
        bail!(literal, "`{text}` has a fraction; write the smaller unit, for example `1500ms`");
    }
    let millis = match unit {
        "ms" => 1,
        "s" => 1_000,
        "m" => 60_000,
        "h" => 3_600_000,
        "" => bail!(literal, "`{text}` has no unit; write one of `ms`, `s`, `m`, `h`, for example `{text}s`"),
        other => match guess(other) {
            Some(unit) => {
                bail!(literal, "`{text}` is not in one of the units `ms`, `s`, `m`, `h`; write `{number}{unit}`")
            }
            None => bail!(
                literal,
                "unknown unit `{}`; write one of `ms`, `s`, `m`, `h`, for example `5m`",
                other.escape_debug()
            ),
        },
    };
    if compact != text {
        bail!(literal, "`{}` has a space; write `{compact}`", text.escape_debug());
    }
    match number.parse::<u64>().ok().and_then(|n| n.checked_mul(millis)).map(Duration::from_millis) {
        Some(duration) if duration <= MAX => Ok(duration),
        _ => bail!(literal, "`{text}` is longer than a year; write a shorter one, for example `5m`"),
    }
}

/// What a longer word for a unit means.
fn guess(word: &str) -> Option<&'static str> {
    Some(match word.to_ascii_lowercase().as_str() {
        "milli" | "millis" | "msec" | "millisecond" | "milliseconds" => "ms",
        "s" | "sec" | "secs" | "second" | "seconds" => "s",
        "min" | "mins" | "minute" | "minutes" => "m",
        "h" | "hr" | "hrs" | "hour" | "hours" => "h",
        _ => return None,
    })
}

/// The duration as a person writes it: `350 ms`, `1.4 s`, `5 min`, `1 h`.
pub(crate) fn display(duration: Duration) -> String {
    let millis = duration.as_millis();
    let (unit, name) = match millis {
        0..1_000 => (1, "ms"),
        1_000..60_000 => (1_000, "s"),
        60_000..3_600_000 => (60_000, "min"),
        _ => (3_600_000, "h"),
    };
    let (whole, rest) = (millis / unit, millis % unit);
    // Two decimals at most: a longest wait is an upper bound, so what is left is rounded up.
    let hundredths = (rest * 100).div_ceil(unit);
    match hundredths {
        0 => format!("{whole} {name}"),
        100 => format!("{} {name}", whole + 1),
        _ if hundredths.is_multiple_of(10) => format!("{whole}.{} {name}", hundredths / 10),
        _ => format!("{whole}.{hundredths:02} {name}"),
    }
}
