//! What is named and read becomes what may be expanded.

mod capped;
mod durable;
mod kinds;
mod schedule;

use std::collections::HashSet;
use std::time::Duration;

use proc_macro2::Ident;
use syn::LitStr;
use syn::ext::IdentExt;

use super::parse::{Head, Item, is_cfg};
use crate::duration;
use crate::error::{Errors, err};
use crate::options::Given;

pub(crate) use capped::{Budget, Policy};
pub(crate) use durable::Durable;
pub(crate) use schedule::{Schedule, Shape as ScheduleShape};

/// What stands in a block of policies.
pub(crate) enum Named {
    Policy(Head, Policy),
    Durable(Head, Durable),
    Schedule(Head, Schedule),
}

impl Named {
    pub(crate) fn head(&self) -> &Head {
        match self {
            Self::Policy(head, _) | Self::Durable(head, _) | Self::Schedule(head, _) => head,
        }
    }
}

/// Every item whose name could be read: with a mistake in it, it still stands, so that the attributes that name it
/// add no errors of their own.
pub(crate) fn all(items: Vec<Item>, errors: &mut Errors) -> Vec<Named> {
    let mut names = HashSet::new();
    let mut all = Vec::new();
    for item in items {
        let name = item.head().name.unraw().to_string();
        if name == "never" {
            errors.push(err!(
                &item.head().name,
                "`never` is a word of the attributes, `retry = never`; give the {} another name",
                item.word()
            ));
        } else if item.head().attrs.iter().any(is_cfg) || names.insert(name.clone()) {
            // Of two with a `cfg`, one may be there at a time; rustc sees to it.
            all.push(match item {
                Item::Capped(head, written) => {
                    let policy = Policy::new(&head.name, written, errors);
                    Named::Policy(head, policy)
                }
                Item::Durable(head, written) => {
                    let durable = Durable::new(&head.name, &written, errors);
                    Named::Durable(head, durable)
                }
                Item::Schedule(head, written) => {
                    let schedule = Schedule::new(&head.name, &written, errors);
                    Named::Schedule(head, schedule)
                }
            });
        } else {
            errors.push(err!(&item.head().name, "two items are called `{name}`; give one of them another name"));
        }
    }
    all
}

/// What is said of a base or a cap that is missing or zero.
struct Words {
    missing: &'static str,
    zero: &'static str,
    examples: [&'static str; 2],
}

/// The base and the cap of what grows: sound ones, also where a mistake was reported.
fn gaps(
    name: &Ident,
    base: &Given<LitStr>,
    cap: &Given<LitStr>,
    words: &Words,
    errors: &mut Errors,
) -> (Duration, Duration) {
    let read = (gap(base, name, "base", words, errors), gap(cap, name, "cap", words, errors));
    if let ((Some(base), Some(cap)), Given::Value(literal), Given::Value(written)) = (read, cap, base)
        && cap < base
    {
        let written = written.value();
        let (base, cap) = (duration::display(base), duration::display(cap));
        errors.push(err!(
            literal,
            "`cap` is {cap}, shorter than `base`, which is {base}; a cap is at least the base, for example `cap = \"{written}\"`"
        ));
    }
    let base = read.0.unwrap_or(Duration::from_millis(1)).max(Duration::from_millis(1));
    (base, read.1.unwrap_or(base).max(base))
}

fn gap(given: &Given<LitStr>, name: &Ident, key: &str, words: &Words, errors: &mut Errors) -> Option<Duration> {
    let Words { zero, examples: [base, cap], .. } = words;
    let example = if key == "base" { base } else { cap };
    let literal = match given {
        Given::Value(literal) => literal,
        Given::Missing => {
            errors.push(missing(name, key, words.missing, example));
            return None;
        }
        Given::Wrong => return None,
    };
    let gap = errors.take(duration::parse(literal))?;
    if gap.is_zero() {
        errors.push(err!(literal, "`{key}` is zero, {zero}; write at least `1ms`, for example `{example}`"));
        return None;
    }
    Some(gap)
}

/// Of a key that makes a policy end.
const ENDS: &str = "every policy is capped and ends";
const AT_ONCE: &str = "which retries at once and all together";

fn missing(name: &Ident, key: &str, why: &str, example: &str) -> syn::Error {
    err!(name, "missing `{key}`, {why}; add it, for example `{example}`")
}
