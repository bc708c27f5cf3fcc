//! The detection on bodies as somebody would write them. Files are tested where they are read, and on real crates in `tests/lint`.

mod bodies;
mod cursors;
mod half_typed;

use crate::{Found, scan};

/// The findings of a body as `kind word`.
fn found(body: &str) -> Vec<String> {
    let tokens = body.parse().unwrap_or_else(|error| panic!("`{body}` is not made of tokens: {error}"));
    scan(tokens).iter().map(named).collect()
}

fn named(found: &Found) -> String {
    match found {
        Found::Retry(word) => format!("retry {word}"),
        Found::SleepInLoop(word) => format!("sleep {word}"),
        Found::Ticker(word) => format!("ticker {word}"),
        Found::LastRun(word) => format!("cursor {word}"),
        Found::Schedule(word) => format!("schedule {word}"),
        Found::Post(word) => format!("post {word}"),
        Found::Spawn(word) => format!("spawn {word}"),
        Found::Clock(clock, _) => format!("clock {clock}"),
        Found::Begin(word) => format!("begin {word}"),
        Found::Policies(word) => format!("policies {word}"),
    }
}

#[track_caller]
fn finds(body: &str, expected: &[&str]) {
    assert_eq!(found(body), expected, "{body}");
}
