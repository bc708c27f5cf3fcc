//! What an unknown word is answered with: the words that are known, and the one that was probably meant.

use proc_macro2::Ident;

use crate::error::err;

/// "unknown key `crn`, did you mean `cron`; expected one of …".
pub(crate) fn unknown(word: &Ident, what: &str, known: &[&str]) -> syn::Error {
    let name = word.to_string();
    let close = known.iter().find(|key| distance(&name, key) <= 2);
    let close = close.map(|key| format!(", did you mean `{key}`")).unwrap_or_default();
    let expected = one_of(known);
    err!(word, "unknown {what} `{name}`{close}; {expected}")
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
