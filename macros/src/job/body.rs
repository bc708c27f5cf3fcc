//! What the body of a job or a poll may not do: ask the wall clock what to work on, retry by numbers of its own, and wait for a
//! next time that the runner brings.

use proc_macro2::Ident;
use quote::ToTokens;
use steadfast_lint::{Found, scan};

use crate::chunks::find;
use crate::error::{Errors, err};
use crate::item_fn::ItemFn;

/// The words of `allow(…)` of both.
pub(crate) const WORDS: [&str; 3] = ["clock", "retry", "sleep"];

/// The words of one of the two attributes for its messages.
pub(crate) struct Body {
    /// A read of the wall clock by itself is refused.
    has_slots: bool,
    /// `a job`
    owner: &'static str,
    /// What comes by itself after a failure.
    healed: &'static str,
    /// What to do instead of a wait.
    instead: &'static str,
    /// What to do instead of a cursor.
    due: &'static str,
}

pub(crate) const JOB: Body = Body {
    has_slots: true,
    owner: "a job",
    healed: "a failed run is healed by the next slot",
    instead: "do what is due and return, the next slot comes by itself",
    due: "ask for what is due as of the slot, for example `where due_at <= $1` with `slot.unix_seconds()`",
};

pub(crate) const POLL: Body = Body {
    has_slots: false,
    owner: "a poll",
    healed: "a failed tick is followed by the next one",
    instead: "make one pass and return `Tick::More` or `Tick::Idle`, the next tick comes by itself",
    due: "ask for the rows that are due and mark in them what was taken, for example `where sent_at is null`",
};

impl Body {
    pub(crate) fn check(&self, func: &ItemFn, allow: &[Ident], errors: &mut Errors) {
        let Self { has_slots, owner, healed, instead, due } = self;
        let allowed = |word: &str| allow.iter().any(|allow| allow == word);
        // The unit has judged retries and waits, and its own loop is none of them.
        let (retry, sleep) = if is_unit(func) { (true, true) } else { (allowed("retry"), allowed("sleep")) };
        for found in scan(func.body_tokens()) {
            let is_named = found.is_named_retry();
            match found {
                Found::Clock(ty, now) if *has_slots && !allowed("clock") => errors.push(err!(
                    &ty,
                    "`{ty}::{now}` reads the wall clock, so a late or repeated run sees other data; use the slot, what is due as of \
                     it, or take `clock: &JobClock`"
                )),
                Found::LastRun(cursor) if !allowed("clock") => errors.push(err!(
                    &cursor,
                    "`{cursor}` is a cursor in memory, lost at every start and another one in each replica; {due}, or say \
                     `allow(clock)` where it decides nothing"
                )),
                Found::Retry(word) if !retry && !is_named => errors.push(err!(
                    &word,
                    "`{word}` retries by numbers of its own, and {healed}; name a policy on the unit, for example \
                     `#[atomic_unit(retry = contention)]`, or say `allow(retry)` where the word is your domain's own"
                )),
                Found::SleepInLoop(word) if !sleep => errors.push(err!(
                    &word,
                    "a loop that sleeps is a schedule inside of {owner}; {instead}, or say `allow(sleep)` where the wait is the \
                     work's own"
                )),
                Found::Ticker(word) | Found::Schedule(word) if !sleep => errors.push(err!(
                    &word,
                    "`{word}` is a schedule inside of {owner}; {instead}, or say `allow(sleep)` where it paces the work's own steps"
                )),
                _ => {}
            }
        }
    }
}

/// `#[atomic_unit]` or `#[provider_call]` below this attribute, or one above it that has expanded already.
fn is_unit(func: &ItemFn) -> bool {
    let names = |tokens, words: &[&str]| find(tokens, words).is_some();
    let below = func.attrs.iter().any(|attr| names(attr.meta.to_token_stream(), &["atomic_unit", "provider_call"]));
    below || names(func.sig.to_token_stream(), &["__private"]) || names(func.body_tokens(), &["__private"])
}
