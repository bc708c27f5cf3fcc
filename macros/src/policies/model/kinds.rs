//! What a policy may retry, and what no policy may.

use proc_macro2::Ident;

use crate::error::{Errors, err};
use crate::options::Given;
use crate::suggest::{one_of, unknown};

/// What `.on(…)` may name, with the kinds of the runtime that it stands for.
const KINDS: [(&str, &[&str]); 7] = [
    ("contention", &["Deadlock", "Serialization", "LockTimeout"]),
    ("deadlock", &["Deadlock"]),
    ("serialization", &["Serialization"]),
    ("lock_timeout", &["LockTimeout"]),
    ("connection_lost", &["ConnectionLost"]),
    ("rate_limited", &["RateLimited"]),
    ("unavailable", &["Unavailable"]),
];

/// What is never retried, and why.
const NEVER: [(&str, &str); 15] = [
    ("statement_timeout", "the same statement runs into the same limit again, on a database that is slow already"),
    ("attempt_timeout", "the next attempt would take as long, and the caller has waited already"),
    ("timeout", "the next attempt would take as long; a refused lock is `lock_timeout`"),
    ("pool_exhausted", "each attempt would stand in the same queue and make it longer"),
    ("in_doubt", "it may have been applied, and a replay would apply it twice"),
    ("nested", "the outer scope retries, and two layers multiply the load"),
    ("lease_lost", "another run holds the lease, and does the work"),
    ("other", "nobody knows what it was, so nobody knows that a replay is safe"),
    ("domain", "the rule that refused refuses again"),
    ("validation", "the rule that refused refuses again"),
    ("schema", "the data does not change between attempts"),
    ("decode", "the data does not change between attempts"),
    ("auth", "the same credentials are refused again"),
    ("unauthorized", "the same credentials are refused again"),
    ("panic", "a panic is a defect, and it passes through"),
];

/// A word of `.on(…)`.
pub(crate) struct Kind {
    pub(crate) word: &'static str,
    /// The runtime's kinds that it stands for.
    pub(crate) variants: &'static [&'static str],
}

impl Kind {
    pub(crate) fn is_contention(&self) -> bool {
        self.variants.iter().any(|variant| KINDS[0].1.contains(variant))
    }

    /// Whether it can mean that the first try was applied.
    pub(crate) fn is_ambiguous(&self) -> bool {
        matches!(self.word, "connection_lost" | "unavailable")
    }
}

/// The kinds of an `.on(…)`; a policy without any retries nothing.
pub(super) fn named(on: &Given<Vec<Ident>>, policy: &Ident, errors: &mut Errors) -> Vec<Kind> {
    let mut named: Vec<Kind> = Vec::new();
    let known = KINDS.map(|(word, _)| word);
    let words = match on {
        Given::Value(words) => words.as_slice(),
        Given::Missing | Given::Wrong => &[],
    };
    if words.is_empty() && !matches!(on, Given::Wrong) {
        errors.push(err!(
            policy,
            "missing `.on(…)`, policy `{}` does not say what it retries; add it, for example `.on(contention)`",
            policy
        ));
    }
    for word in words {
        if let Some((name, why)) = NEVER.iter().find(|(name, _)| word == name) {
            errors.push(err!(word, "`{name}` is never retried: {why}; {}", one_of(&known)));
        } else if let Some((name, variants)) = KINDS.iter().find(|(name, _)| word == name) {
            if named.iter().any(|kind| kind.word == *name) {
                errors.push(err!(word, "`{word}` is named twice; keep one of them"));
            } else {
                named.push(Kind { word: name, variants });
            }
        } else {
            errors.push(unknown(word, "kind of failure", &known));
        }
    }
    named
}
