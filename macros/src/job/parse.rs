//! The keys of `#[job]`.

use proc_macro2::{Ident, TokenStream};
use syn::{LitStr, Path};

use super::body::WORDS;
use crate::editor::Written;
use crate::error::{Errors, bail};
use crate::options::{Entry, Given, Keys, Options};

const KEYS: Keys = Keys {
    owner: "#[job]",
    known: &[
        "cron",
        "timeout",
        "exclusive",
        "name",
        "overlap",
        "heartbeat",
        "on_shutdown",
        "catch_up",
        "splay",
        "allow",
        "crate",
    ],
    example: "cron = \"0 3 * * *\"",
    explained: &[
        ("tz", "slots are UTC, so that no hour is skipped or doubled; remove `tz` and write the hour in UTC"),
        (
            "timezone",
            "slots are UTC, so that no hour is skipped or doubled; remove `timezone` and write the hour in UTC",
        ),
        (
            "time_zone",
            "slots are UTC, so that no hour is skipped or doubled; remove `time_zone` and write the hour in UTC",
        ),
        ("seconds", "slots are whole minutes; remove `seconds`, or write `#[poll(every = …)]` for anything shorter"),
        (
            "every",
            "an interval has no slots; write them, for example `cron = \"*/5 * * * *\"`, or below a minute `#[poll(every = \"1s\", …)]`",
        ),
        (
            "interval",
            "an interval has no slots; write them, for example `cron = \"*/5 * * * *\"`, or below a minute `#[poll(every = \"1s\", …)]`",
        ),
        ("schedule", "the slots are written as `cron`, for example `cron = \"0 3 * * *\"`"),
        (
            "retry",
            "a failed run is healed by the next slot; put `retry` on the unit, a job may carry `#[atomic_unit(…)]` too",
        ),
        (
            "retries",
            "a failed run is healed by the next slot; name a policy on the unit, for example `#[atomic_unit(retry = contention)]`",
        ),
        ("pool", "`pool` is a key of `#[atomic_unit]`; a job may carry both attributes"),
        ("idempotent", "`idempotent` is a key of `#[atomic_unit]`; a job may carry both attributes"),
        ("in_doubt", "`in_doubt` is a key of `#[atomic_unit]`; a job may carry both attributes"),
        ("lease", "the lease is `timeout` and one minute; write `exclusive` and `timeout = \"5m\"`"),
    ],
};

/// The keys as written.
pub(crate) struct Args {
    pub(crate) written: Written,
    /// The path of `crate = …`.
    pub(crate) runtime: Option<Path>,
    pub(crate) cron: Given<LitStr>,
    pub(crate) timeout: Given<LitStr>,
    pub(crate) exclusive: Option<Ident>,
    pub(crate) name: Option<LitStr>,
    pub(crate) overlap: bool,
    pub(crate) heartbeat: Option<Ident>,
    /// The key of `on_shutdown = hand_back`.
    pub(crate) hand_back: Option<Ident>,
    pub(crate) catch_up: Option<LitStr>,
    pub(crate) splay: Option<LitStr>,
    pub(crate) allow: Vec<Ident>,
}

impl Args {
    pub(crate) fn parse(input: TokenStream, errors: &mut Errors) -> Self {
        let mut options = Options::parse(input, &KEYS, errors);
        let (written, runtime) = (options.written("Job"), options.runtime(errors));
        let cron = options.given("cron", errors, |entry| entry.value("a cron line", "cron = \"0 3 * * *\""));
        let timeout = options.given("timeout", errors, |entry| entry.value("a duration", "timeout = \"5m\""));
        let exclusive = options.take("exclusive").map(|entry| {
            errors.take(entry.flag());
            entry.key
        });
        let name = options.take("name");
        let name = name.and_then(|entry| errors.take(entry.value("a text", "name = \"billing.close-expired-trials\"")));
        let overlap = options.take("overlap").map(|entry| errors.take(overlap(&entry))).is_some();
        let heartbeat = options.take("heartbeat").map(|entry| {
            errors.take(entry.flag());
            entry.key
        });
        let hand_back = options.take("on_shutdown").and_then(|entry| {
            errors.take(on_shutdown(&entry))?;
            Some(entry.key)
        });
        let mut text =
            |key, example: &str| options.take(key).and_then(|entry| errors.take(entry.value("a duration", example)));
        let (catch_up, splay) = (text("catch_up", "catch_up = \"12h\""), text("splay", "splay = \"30s\""));
        let allow = options.take("allow").map(|entry| entry.words(&WORDS, errors)).unwrap_or_default();
        Self { written, runtime, cron, timeout, exclusive, name, overlap, heartbeat, hand_back, catch_up, splay, allow }
    }
}

fn overlap(entry: &Entry) -> syn::Result<()> {
    let word: Ident = entry.value("what happens to a slot while a run goes on", "overlap = skip")?;
    if word == "skip" {
        return Ok(());
    }
    bail!(&word, "unknown answer `{word}`, a run is never doubled; expected `skip`");
}

fn on_shutdown(entry: &Entry) -> syn::Result<()> {
    let word: Ident = entry.value("what becomes of a run that is cut off", "on_shutdown = hand_back")?;
    if word == "hand_back" {
        return Ok(());
    }
    bail!(&word, "unknown answer `{word}`; expected `hand_back`, or leave `on_shutdown` out and the slot stays taken");
}
