//! `durable(base = "1s", cap = "1h", attempts = 20)`

use proc_macro2::TokenStream;
use syn::{LitInt, LitStr};

use super::{Chain, duration};
use crate::editor::Written;
use crate::error::{Errors, err};
use crate::options::{Given, Keys, Options};

const KEYS: Keys = Keys {
    owner: "durable(…)",
    known: &["base", "cap", "attempts"],
    example: "base = \"1s\"",
    explained: &[
        ("retries", "a row counts its attempts; write `attempts = …`, one more than the retries"),
        ("jitter", "a durable delay lies between half and the whole of what it doubled to; leave `jitter` out"),
    ],
};

/// A policy of delays that are kept in a row, as written.
pub(crate) struct Durable {
    pub(crate) written: Vec<Written>,
    pub(crate) base: Given<LitStr>,
    pub(crate) cap: Given<LitStr>,
    pub(crate) attempts: Given<LitInt>,
}

impl Durable {
    pub(super) fn parse(arguments: TokenStream, chain: &Chain, is_broken: bool, errors: &mut Errors) -> Self {
        let mut options = Options::parse(arguments, &KEYS, errors);
        let durable = Self {
            written: vec![options.written("Durable")],
            base: duration(&mut options, "base", "base = \"1s\"", errors),
            cap: duration(&mut options, "cap", "cap = \"1h\"", errors),
            attempts: options.given("attempts", errors, |entry| entry.value("a number", "attempts = 20")),
        };
        if let (Some((word, _)), false) = (chain.first(), is_broken) {
            errors.push(err!(
                word,
                "a durable policy computes the time of the next attempt and retries nothing itself; remove `.{word}(…)`"
            ));
        }
        durable
    }
}
