//! The keys of `#[poll]`.

use proc_macro2::{Ident, TokenStream};
use syn::{LitStr, Path};

use crate::editor::Written;
use crate::error::Errors;
use crate::job::body::WORDS;
use crate::options::{Given, Keys, Options};

const SLOTS: &str = "a poll has no slots; write `every = \"1s\"`, or a job, for example `#[job(cron = \"*/5 * * * *\", timeout = \"5m\")]`";
const RETRY: &str =
    "a failed tick is followed by the next one; put the retry on the unit, a poll may carry `#[atomic_unit(…)]` too";
/// What is said of a key of jobs, with the key itself.
macro_rules! of_a_lease {
    ($key:literal) => {
        (
            $key,
            concat!(
                "a poll holds no lease, every process runs it, and a row says what one of them has taken; remove `",
                $key,
                "`, or write `exclusive` on a `#[job]`"
            ),
        )
    };
}

macro_rules! of_a_slot {
    ($key:literal) => {
        (
            $key,
            concat!(
                "a poll has no slots that it could miss or be moved behind; remove `",
                $key,
                "`, or write a `#[job]`"
            ),
        )
    };
}

const KEYS: Keys = Keys {
    owner: "#[poll]",
    known: &["every", "timeout", "name", "allow", "crate"],
    example: "every = \"1s\"",
    explained: &[
        ("cron", SLOTS),
        ("schedule", SLOTS),
        ("interval", "the wait after an idle tick is written as `every`, for example `every = \"1s\"`"),
        of_a_lease!("exclusive"),
        of_a_lease!("lease"),
        of_a_lease!("heartbeat"),
        of_a_lease!("on_shutdown"),
        of_a_slot!("catch_up"),
        of_a_slot!("splay"),
        ("overlap", "the ticks of a poll follow each other and never overlap; remove `overlap`"),
        ("retry", RETRY),
        ("retries", RETRY),
        ("backoff", "the wait after a failed tick doubles up to a minute, always; remove `backoff`"),
    ],
};

/// The keys as written.
pub(crate) struct Args {
    pub(crate) written: Written,
    /// The path of `crate = …`.
    pub(crate) runtime: Option<Path>,
    pub(crate) every: Given<LitStr>,
    pub(crate) timeout: Given<LitStr>,
    pub(crate) name: Option<LitStr>,
    pub(crate) allow: Vec<Ident>,
}

impl Args {
    pub(crate) fn parse(input: TokenStream, errors: &mut Errors) -> Self {
        let mut options = Options::parse(input, &KEYS, errors);
        let (written, runtime) = (options.written("Poll"), options.runtime(errors));
        let every = options.given("every", errors, |entry| entry.value("a duration", "every = \"1s\""));
        let timeout = options.given("timeout", errors, |entry| entry.value("a duration", "timeout = \"30s\""));
        let name = options.take("name");
        let name = name.and_then(|entry| errors.take(entry.value("a text", "name = \"mail.relay\"")));
        let allow = options.take("allow").map(|entry| entry.words(&WORDS, errors)).unwrap_or_default();
        Self { written, runtime, every, timeout, name, allow }
    }
}
