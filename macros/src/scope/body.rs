//! What the body of a retry scope may not do.

use proc_macro2::Ident;
use steadfast_lint::{Found, scan};

use super::Words;
use crate::error::{Errors, err};
use crate::item_fn::ItemFn;

pub(crate) fn check_body(func: &ItemFn, allow: &[Ident], words: &Words, errors: &mut Errors) {
    let a_scope = words.a_scope;
    let allowed = |word: &str| allow.iter().any(|allow| allow == word);
    for found in scan(func.body_tokens()) {
        match found {
            Found::Retry(word) if !allowed("retry") => errors.push(err!(
                &word,
                "{a_scope} is retried as a whole by its own policy, so its body retries nothing; remove the inner retry, or \
                 say `allow(retry)` where the word is your domain's own"
            )),
            Found::SleepInLoop(word) if !allowed("sleep") => errors.push(err!(
                &word,
                "a loop that sleeps is a retry by hand, and {} holds what it has meanwhile; leave the waiting to \
                 `retry = …`, or say `allow(sleep)` where it is none",
                words.a_short
            )),
            Found::Ticker(word) | Found::Schedule(word) if !allowed("sleep") => errors.push(err!(
                &word,
                "`{word}` paces by hand, and {} holds what it has meanwhile; put what recurs into a `#[poll(every = \"1s\", …)]` or a \
                 `#[job(…)]` that calls it, or say `allow(sleep)` where it paces nothing",
                words.a_short
            )),
            Found::Spawn(word) if !allowed("spawn") => errors.push(err!(
                &word,
                "what {a_scope} spawns outlives its attempt, and a replay spawns it again; spawn it after the {} has returned, \
                 await the work in place, or say `allow(spawn)` where it ends within the body",
                words.a_short.trim_start_matches("a ")
            )),
            _ => {}
        }
    }
}
