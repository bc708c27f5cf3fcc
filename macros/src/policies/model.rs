//! A policy that ends, that waits, and that replays only what may be replayed.

use std::collections::HashSet;
use std::time::Duration;

use proc_macro2::Ident;
use syn::ext::IdentExt;
use syn::{Attribute, LitInt, LitStr, Visibility};

use super::kinds::{self, Kind};
use super::parse::Item;
use crate::duration;
use crate::error::{Errors, bail, err};
use crate::options::Given;
use crate::suggest::{one_of, unknown};

const JITTERS: [(&str, &str); 4] =
    [("full", "Full"), ("equal", "Equal"), ("decorrelated", "Decorrelated"), ("proportional", "Proportional")];

const MAX_RETRIES: u32 = 10;

pub(crate) struct Policy {
    pub(crate) attrs: Vec<Attribute>,
    pub(crate) vis: Visibility,
    pub(crate) name: Ident,
    pub(crate) base: Duration,
    pub(crate) cap: Duration,
    pub(crate) retries: u32,
    /// The word and the runtime's name for it.
    pub(crate) jitter: (&'static str, &'static str),
    pub(crate) on: Vec<Kind>,
    pub(crate) gate: bool,
}

/// Every policy whose name could be read: with a mistake in it, it still stands, so that the attributes that name it
/// add no errors of their own.
pub(crate) fn policies(items: Vec<Item>, errors: &mut Errors) -> Vec<Policy> {
    let mut names = HashSet::new();
    let mut policies = Vec::new();
    for item in items {
        let name = item.name.unraw().to_string();
        if name == "never" {
            errors.push(err!(
                &item.name,
                "`never` is a word of the attributes, `retry = never`; give the policy another name"
            ));
        } else if names.insert(name.clone()) {
            policies.push(Policy::new(item, errors));
        } else {
            errors.push(err!(&item.name, "two policies are called `{name}`; give one of them another name"));
        }
    }
    policies
}

impl Policy {
    fn new(item: Item, errors: &mut Errors) -> Self {
        let base = gap(&item.base, &item, "base", "base = \"50ms\"", errors);
        let cap = gap(&item.cap, &item, "cap", "cap = \"200ms\"", errors);
        if let (Some(base), Some(cap), Given::Value(literal), Given::Value(written)) =
            (base, cap, &item.cap, &item.base)
            && cap < base
        {
            let written = written.value();
            let (base, cap) = (duration::display(base), duration::display(cap));
            errors.push(err!(
                literal,
                "`cap` is {cap}, shorter than `base`, which is {base}; a cap is at least the base, for example `cap = \"{written}\"`"
            ));
        }
        let retries = match &item.retries {
            Given::Value(literal) => errors.take(retries(literal)),
            Given::Missing => {
                errors.push(missing(&item.name, "retries", "retries = 3"));
                None
            }
            Given::Wrong => None,
        };
        let jitter = item.jitter.as_ref().and_then(|word| errors.take(jitter(word)));
        let on = kinds::named(&item.on, &item.name, errors);
        if let (Some(gate), false) = (&item.gate, on.iter().any(Kind::is_contention) || on.is_empty()) {
            errors.push(err!(
                gate,
                "`.gate()` is the queue of units that met contention, which this policy does not retry; remove it, or add \
                 `contention` to `.on(…)`"
            ));
        }
        let base = base.unwrap_or(Duration::from_millis(1)).max(Duration::from_millis(1));
        Self {
            attrs: item.attrs,
            vis: item.vis,
            name: item.name,
            base,
            cap: cap.unwrap_or(base).max(base),
            retries: retries.unwrap_or(1),
            jitter: jitter.unwrap_or(JITTERS[0]),
            on,
            gate: item.gate.is_some(),
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

fn gap(given: &Given<LitStr>, item: &Item, key: &str, example: &str, errors: &mut Errors) -> Option<Duration> {
    let literal = match given {
        Given::Value(literal) => literal,
        Given::Missing => {
            errors.push(missing(&item.name, key, example));
            return None;
        }
        Given::Wrong => return None,
    };
    let gap = errors.take(duration::parse(literal))?;
    if gap.is_zero() {
        errors.push(err!(
            literal,
            "`{key}` is zero, which retries at once and all together; write at least `1ms`, for example `{example}`"
        ));
        return None;
    }
    Some(gap)
}

fn missing(name: &Ident, key: &str, example: &str) -> syn::Error {
    err!(name, "missing `{key}`, every policy is capped and ends; add it, for example `{example}`")
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
