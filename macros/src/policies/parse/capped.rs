//! `capped(base = "50ms", cap = "200ms", retries = 3).on(contention)`, with `.gate()`, `.budget(…)` and `.on_retry(…)`.

use proc_macro2::{Ident, TokenStream, TokenTree};
use syn::parse::Parser;
use syn::{LitFloat, LitInt, LitStr, Path};

use super::{Chain, duration, once};
use crate::chunks::{joined, split_commas};
use crate::editor::Written;
use crate::error::{Errors, err};
use crate::options::{Given, Keys, Options};
use crate::suggest::unknown;

const KEYS: Keys = Keys {
    owner: "capped(…)",
    known: &["base", "cap", "retries", "jitter"],
    example: "base = \"50ms\"",
    explained: &[
        ("attempts", "a policy counts retries, attempts are one more; write `retries = …`"),
        ("times", "the number of retries is written `retries = …`"),
        ("max", "the longest gap is written `cap = \"…\"`, the number of retries `retries = …`"),
        ("factor", "the gaps double up to the cap; leave `factor` out"),
    ],
};

const BUDGET_KEYS: Keys =
    Keys { owner: "budget(…)", known: &["ratio", "min_per_second"], example: "ratio = 0.1", explained: &[] };

/// A policy of retries in process, as written.
pub(crate) struct Capped {
    pub(crate) written: Vec<Written>,
    pub(crate) base: Given<LitStr>,
    pub(crate) cap: Given<LitStr>,
    pub(crate) retries: Given<LitInt>,
    pub(crate) jitter: Option<Ident>,
    /// The words of `.on(…)`.
    pub(crate) on: Given<Vec<Ident>>,
    /// `.gate()`
    pub(crate) gate: Option<Ident>,
    /// `.budget(…)`
    pub(crate) budget: Option<Share>,
    /// `.on_retry(…)`
    pub(crate) on_retry: Option<Path>,
}

/// The share of retries, as written.
pub(crate) struct Share {
    pub(crate) word: Ident,
    pub(crate) ratio: Given<LitFloat>,
    pub(crate) min_per_second: Option<LitInt>,
}

impl Capped {
    /// All of it is wrong, and that is reported already.
    pub(super) const WRONG: Self = Self {
        written: Vec::new(),
        base: Given::Wrong,
        cap: Given::Wrong,
        retries: Given::Wrong,
        jitter: None,
        on: Given::Wrong,
        gate: None,
        budget: None,
        on_retry: None,
    };

    pub(super) fn parse(arguments: TokenStream, chain: Chain, is_broken: bool, errors: &mut Errors) -> Self {
        let mut options = Options::parse(arguments, &KEYS, errors);
        let mut capped = Self {
            written: vec![options.written("Capped")],
            base: duration(&mut options, "base", "base = \"50ms\"", errors),
            cap: duration(&mut options, "cap", "cap = \"200ms\"", errors),
            retries: options.given("retries", errors, |entry| entry.value("a number", "retries = 3")),
            jitter: options.take("jitter").and_then(|entry| errors.take(entry.value("a word", "jitter = full"))),
            on: if is_broken { Given::Wrong } else { Given::Missing },
            ..Self::WRONG
        };
        for (word, list) in chain {
            capped.link(word, list, errors);
        }
        capped
    }

    /// One word of the chain.
    fn link(&mut self, word: Ident, list: TokenStream, errors: &mut Errors) {
        match word.to_string().as_str() {
            "on" if matches!(self.on, Given::Value(_)) => errors.push(err!(
                &word,
                "`.on(…)` is given twice; put all kinds into one, for example `.on(deadlock, connection_lost)`"
            )),
            "on" => {
                let is_empty = list.is_empty();
                let kinds = kinds(list, errors);
                // What stands there is no kind, and that is reported.
                self.on = if kinds.is_empty() && !is_empty { Given::Wrong } else { Given::Value(kinds) };
            }
            "gate" if list.is_empty() => once(&mut self.gate, &word.clone(), word, errors),
            "gate" => {
                errors.push(err!(&list, "`.gate()` takes nothing; write `.gate()`"));
                self.gate = Some(word);
            }
            "budget" => {
                let (share, written) = Share::parse(word.clone(), list, errors);
                self.written.push(written);
                once(&mut self.budget, &word, share, errors);
            }
            "on_retry" => match Path::parse_mod_style.parse2(list.clone()) {
                Ok(path) => once(&mut self.on_retry, &word, path, errors),
                Err(_) if list.is_empty() => errors.push(err!(
                    &word,
                    "`.on_retry(…)` names a function `fn(&steadfast::Retrying<'_>)`, for example `.on_retry(crate::retry::told)`"
                )),
                Err(_) => errors.push(err!(
                    &list,
                    "`.on_retry(…)` takes the path of a function, for example `.on_retry(crate::retry::told)`"
                )),
            },
            _ => errors.push(unknown(&word, "word", &["on", "gate", "budget", "on_retry"])),
        }
    }
}

impl Share {
    fn parse(word: Ident, list: TokenStream, errors: &mut Errors) -> (Self, Written) {
        let mut options = Options::parse(list, &BUDGET_KEYS, errors);
        let ratio =
            options.given("ratio", errors, |entry| entry.value("a fraction between 0.000001 and 1.0", "ratio = 0.1"));
        let free = options.take("min_per_second");
        let free = free.and_then(|entry| errors.take(entry.value("a number", "min_per_second = 1")));
        (Self { word, ratio, min_per_second: free }, options.written("Budget"))
    }
}

fn kinds(list: TokenStream, errors: &mut Errors) -> Vec<Ident> {
    let mut kinds = Vec::new();
    for chunk in split_commas(list, errors) {
        match chunk.as_slice() {
            [TokenTree::Ident(kind)] => kinds.push(kind.clone()),
            other => {
                errors.push(err!(&joined(other), "`.on(…)` takes kinds of failures, for example `.on(contention)`"));
            }
        }
    }
    kinds
}
