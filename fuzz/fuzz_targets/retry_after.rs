//! `Retry-After`, as a server may send it, at any time: `cargo +nightly fuzz run retry_after -- -runs=10000000`.

#![no_main]

use std::time::{Duration, SystemTime};

use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: (u64, &str)| {
    let (seconds, text) = input;
    let Some(now) = SystemTime::UNIX_EPOCH.checked_add(Duration::from_secs(seconds)) else { return };
    let asked = steadfast::retry::retry_after(text, now);
    let text = text.trim_matches([' ', '\t']);
    if !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()) {
        assert!(asked.is_some(), "seconds are always read");
    }
});
