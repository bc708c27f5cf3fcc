//! `Retry-After`, as RFC 9110 (section 10.2.3) has it.

use std::time::{Duration, SystemTime};

/// Reads the value of a `Retry-After` header: how long the other side asks to wait, from `now` on.
///
/// Both forms: seconds, and a date in each of the three formats that a recipient must accept (IMF-fixdate, RFC 850, asctime). More
/// seconds than can be counted are [`Duration::MAX`], which no deadline has room for; a date that has passed is no wait.
/// `None` for anything else: a value that cannot be read asks for nothing, and the policy's own gap is waited.
///
/// ```
/// use std::time::{Duration, SystemTime};
/// use steadfast::retry::retry_after;
///
/// let now = SystemTime::UNIX_EPOCH + Duration::from_secs(784_111_770);
/// assert_eq!(retry_after("120", now), Some(Duration::from_secs(120)));
/// assert_eq!(retry_after("Sun, 06 Nov 1994 08:49:37 GMT", now), Some(Duration::from_secs(7)));
/// assert_eq!(retry_after("99999999999999999999", now), Some(Duration::MAX));
/// assert_eq!(retry_after("soon", now), None);
/// ```
#[must_use]
pub fn retry_after(value: &str, now: SystemTime) -> Option<Duration> {
    let value = value.trim_matches([' ', '\t']);
    if !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_digit()) {
        return Some(value.parse().map_or(Duration::MAX, Duration::from_secs));
    }
    let date = httpdate::parse_http_date(value).ok()?;
    Some(date.duration_since(now).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::retry::in_process;

    /// 06 Nov 1994 08:49:37.
    const EXAMPLE: u64 = 784_111_777;

    fn at(seconds: u64) -> SystemTime {
        SystemTime::UNIX_EPOCH + Duration::from_secs(seconds)
    }

    #[test]
    fn all_three_dates_of_the_rfc_are_one_moment() {
        for text in [
            "Sun, 06 Nov 1994 08:49:37 GMT",
            "Sunday, 06-Nov-94 08:49:37 GMT",
            "Sun Nov  6 08:49:37 1994",
            "\t Sun, 06 Nov 1994 08:49:37 GMT ",
        ] {
            assert_eq!(retry_after(text, at(EXAMPLE - 30)), Some(Duration::from_secs(30)), "{text}");
            assert_eq!(retry_after(text, at(EXAMPLE + 30)), Some(Duration::ZERO), "{text}");
        }
    }

    /// hashicorp/go-retryablehttp#297: a huge number overflowed into an immediate retry.
    #[test]
    fn no_number_overflows() {
        for (text, wait) in [
            ("0", Duration::ZERO),
            ("007", Duration::from_secs(7)),
            ("9223372037", Duration::from_secs(9_223_372_037)),
            ("18446744073709551615", Duration::from_secs(u64::MAX)),
            ("18446744073709551616", Duration::MAX),
        ] {
            assert_eq!(retry_after(text, at(0)), Some(wait), "{text}");
        }
    }

    #[test]
    fn what_is_neither_asks_for_nothing() {
        for text in [
            "",
            " ",
            "-1",
            "+1",
            "1.5",
            "1e3",
            "10s",
            "٣",
            "NaN",
            "Sun, 31 Feb 1994 08:49:37 GMT",
            "1994-11-06T08:49:37Z",
        ] {
            assert_eq!(retry_after(text, at(0)), None, "{text}");
        }
    }

    /// `fuzz/fuzz_targets/retry_after.rs`, in process.
    #[test]
    fn no_value_panics() {
        in_process::run("retry_after", |input| {
            let (seconds, text) = input.split_first_chunk().unwrap_or((&[0; 8], input));
            let Some(now) = SystemTime::UNIX_EPOCH.checked_add(Duration::from_secs(u64::from_le_bytes(*seconds)))
            else {
                return;
            };
            let text = String::from_utf8_lossy(text);
            let asked = retry_after(&text, now);
            let text = text.trim_matches([' ', '\t']);
            let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
            assert!(asked.is_some() || !is_number, "{text}");
        });
    }
}
