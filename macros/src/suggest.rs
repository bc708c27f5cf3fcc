//! What an unknown word is answered with: the words that are known, and the one that was probably meant.

use proc_macro2::Ident;

use crate::error::err;

/// "unknown key `crn`, did you mean `cron`; expected one of …".
pub(crate) fn unknown(word: &Ident, what: &str, known: &[&'static str]) -> syn::Error {
    let name = word.to_string();
    let close = closest(&name, known).map(|key| format!(", did you mean `{key}`")).unwrap_or_default();
    let expected = one_of(known);
    err!(word, "unknown {what} `{name}`{close}; {expected}")
}

/// The known word that this one was probably meant to be.
pub(crate) fn closest(word: &str, known: &[&'static str]) -> Option<&'static str> {
    known.iter().copied().find(|key| distance(word, key) <= 2)
}

/// "expected one of `a`, `b`" or "expected `a`".
pub(crate) fn one_of(known: &[&str]) -> String {
    let list = known.iter().map(|key| format!("`{key}`")).collect::<Vec<_>>().join(", ");
    if known.len() == 1 { format!("expected {list}") } else { format!("expected one of {list}") }
}

/// Edits between two words (Levenshtein).
fn distance(a: &str, b: &str) -> usize {
    let mut row: Vec<usize> = (0..=b.chars().count()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut diagonal = i;
        row[0] = i + 1;
        for (j, y) in b.chars().enumerate() {
            let change = diagonal + usize::from(x != y);
            diagonal = row[j + 1];
            row[j + 1] = change.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row.last().copied().unwrap_or(0)
}
