//! A policy that ends, that waits, and that replays only what may be replayed.

use std::time::Duration;

use proc_macro2::Ident;
use syn::{LitFloat, LitInt, Path};

use super::kinds::{self, Kind};
use super::{AT_ONCE, ENDS, Words, gaps, missing};
use crate::error::{Errors, bail, err};
use crate::options::Given;
use crate::policies::parse::{Capped as Written, Share};
use crate::suggest::{one_of, unknown};

const JITTERS: [(&str, &str); 4] =
    [("full", "Full"), ("equal", "Equal"), ("decorrelated", "Decorrelated"), ("proportional", "Proportional")];

const WORDS: Words = Words { missing: ENDS, zero: AT_ONCE, examples: ["base = \"50ms\"", "cap = \"200ms\""] };

const MAX_RETRIES: u32 = 10;

pub(crate) struct Policy {
    pub(crate) base: Duration,
    pub(crate) cap: Duration,
    pub(crate) retries: u32,
    /// The word and the runtime's name for it.
    pub(crate) jitter: (&'static str, &'static str),
    pub(crate) on: Vec<Kind>,
    pub(crate) gate: bool,
    pub(crate) budget: Option<Budget>,
    pub(crate) on_retry: Option<Path>,
}

/// How many retries a process may spend.
pub(crate) struct Budget {
    /// Retries by call, in millionths.
    pub(crate) ratio: u32,
    /// Retries a second that are always free.
    pub(crate) min_per_second: u32,
}

impl Policy {
    pub(super) fn new(name: &Ident, written: Written, errors: &mut Errors) -> Self {
        let (base, cap) = gaps(name, &written.base, &written.cap, &WORDS, errors);
        let retries = match &written.retries {
            Given::Value(literal) => errors.take(retries(literal)),
            Given::Missing => {
                errors.push(missing(name, "retries", ENDS, "retries = 3"));
                None
            }
            Given::Wrong => None,
        };
        let jitter = written.jitter.as_ref().and_then(|word| errors.take(jitter(word)));
        let on = kinds::named(&written.on, name, errors);
        if let (Some(gate), false) = (&written.gate, on.iter().any(Kind::is_contention) || on.is_empty()) {
            errors.push(err!(
                gate,
                "`.gate()` is the queue of units that met contention, which this policy does not retry; remove it, or add \
                 `contention` to `.on(…)`"
            ));
        }
        Self {
            base,
            cap,
            retries: retries.unwrap_or(1),
            jitter: jitter.unwrap_or(JITTERS[0]),
            on,
            gate: written.gate.is_some(),
            budget: written.budget.and_then(|share| Budget::new(&share, errors)),
            on_retry: written.on_retry,
        }
    }

    pub(crate) fn retries_contention(&self) -> bool {
        self.on.iter().any(Kind::is_contention)
    }

    /// Whether a retried failure can mean that the first try was applied.
    pub(crate) fn is_ambiguous(&self) -> bool {
        self.on.iter().any(Kind::is_ambiguous)
    }
}

fn retries(literal: &LitInt) -> syn::Result<u32> {
    match literal.base10_parse::<u32>() {
        Ok(0) => bail!(
            literal,
            "`retries` is 0; leave the policy out and say `retry = never`, or retry at least once, for example `retries = 3`"
        ),
        Ok(retries @ 1..=MAX_RETRIES) => Ok(retries),
        _ => bail!(
            literal,
            "`retries` is at most {MAX_RETRIES} in process; what needs longer waits for a durable retry, or for the next slot of a job; write for example `retries = 3`"
        ),
    }
}

fn jitter(word: &Ident) -> syn::Result<(&'static str, &'static str)> {
    let found = JITTERS.iter().find(|(name, _)| word == name).copied();
    if word == "none" {
        bail!(
            word,
            "jitter is never left out, replicas that failed together would return together; {}",
            one_of(&JITTERS.map(|(name, _)| name))
        );
    }
    found.ok_or_else(|| unknown(word, "jitter", &JITTERS.map(|(name, _)| name)))
}

impl Budget {
    fn new(share: &Share, errors: &mut Errors) -> Option<Self> {
        let ratio = match &share.ratio {
            Given::Value(literal) => errors.take(millionths(literal)),
            Given::Missing => {
                errors.push(err!(
                    &share.word,
                    "missing `ratio`, how many retries a call may cost the others; add it, for example `ratio = 0.1`"
                ));
                None
            }
            Given::Wrong => None,
        };
        let free = match &share.min_per_second {
            Some(literal) => errors.take(free(literal)),
            None => Some(1),
        };
        Some(Self { ratio: ratio?, min_per_second: free? })
    }
}

/// A ratio as an exact number of millionths.
fn millionths(literal: &LitFloat) -> syn::Result<u32> {
    const EXAMPLE: &str = "write a ratio between 0.000001 and 1.0, for example `ratio = 0.1`";
    if !literal.suffix().is_empty() {
        bail!(literal, "`{literal}` has a suffix; {EXAMPLE}");
    }
    let (whole, fraction) = literal.base10_digits().split_once('.').unwrap_or((literal.base10_digits(), ""));
    let digits = fraction.trim_end_matches('0');
    if digits.len() > 6 {
        bail!(literal, "`{literal}` has more than six digits behind the point; {EXAMPLE}");
    }
    match format!("{whole}{digits:0<6}").parse() {
        Ok(ratio @ 1..=1_000_000) => Ok(ratio),
        _ => bail!(literal, "`{literal}` is no share of the calls; {EXAMPLE}"),
    }
}

fn free(literal: &LitInt) -> syn::Result<u32> {
    match literal.base10_parse() {
        Ok(free @ 0..=1_000) => Ok(free),
        _ => bail!(literal, "`min_per_second` is between 0 and 1000; write for example `min_per_second = 1`"),
    }
}
