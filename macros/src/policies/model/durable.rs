//! Delays of work whose count of attempts stands in a row.

use std::time::Duration;

use proc_macro2::Ident;
use syn::LitInt;

use super::{AT_ONCE, ENDS, Words, gaps, missing};
use crate::error::{Errors, bail};
use crate::options::Given;
use crate::policies::parse::Durable as Written;

/// Two a day for more than a year, at the longest cap.
const MAX_ATTEMPTS: u32 = 1_000;

const WORDS: Words = Words { missing: ENDS, zero: AT_ONCE, examples: ["base = \"1s\"", "cap = \"1h\""] };

pub(crate) struct Durable {
    pub(crate) base: Duration,
    pub(crate) cap: Duration,
    pub(crate) attempts: u32,
}

impl Durable {
    pub(super) fn new(name: &Ident, written: &Written, errors: &mut Errors) -> Self {
        let (base, cap) = gaps(name, &written.base, &written.cap, &WORDS, errors);
        let attempts = match &written.attempts {
            Given::Value(literal) => errors.take(attempts(literal)),
            Given::Missing => {
                errors.push(missing(name, "attempts", ENDS, "attempts = 20"));
                None
            }
            Given::Wrong => None,
        };
        Self { base, cap, attempts: attempts.unwrap_or(2) }
    }
}

fn attempts(literal: &LitInt) -> syn::Result<u32> {
    match literal.base10_parse::<u32>() {
        Ok(0 | 1) => {
            bail!(literal, "`attempts` counts the first one, so it is at least 2, for example `attempts = 20`")
        }
        Ok(attempts @ 2..=MAX_ATTEMPTS) => Ok(attempts),
        _ => bail!(literal, "`attempts` is at most {MAX_ATTEMPTS}; write for example `attempts = 20`"),
    }
}
