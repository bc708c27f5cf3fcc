//! Reads of the wall clock, and the cursors that are set from them.

use proc_macro2::{Ident, TokenStream, TokenTree};

use crate::around::{Around, is_punct, is_word};
use crate::words::{CLOCKS, NOWS, is_cursor};

/// `Utc::now`: the function's name.
pub(crate) fn read<'a>(around: &Around<'a>, name: &str) -> Option<&'a Ident> {
    if !CLOCKS.contains(&name) || !around.is_followed_by(&NOWS) {
        return None;
    }
    match around.token(3) {
        Some(TokenTree::Ident(now)) => Some(now),
        _ => None,
    }
}

/// The name that a clock read is bound to, `let now = …`: what is set from it is set from the clock.
pub(crate) fn bound_to(around: &Around<'_>) -> Option<String> {
    let tokens = around.tokens;
    let start = (0..around.at)
        .rev()
        .take_while(|at| !is_punct(tokens.get(*at), ';'))
        .find(|at| is_word(tokens.get(*at), &["let"]))?;
    let start = start + 1 + usize::from(is_word(tokens.get(start + 1), &["mut"]));
    // A pattern binds other names.
    let is_plain = ['=', ':'].iter().any(|sign| is_punct(tokens.get(start + 1), *sign));
    match tokens.get(start) {
        Some(TokenTree::Ident(name)) if is_plain => Some(name.to_string()),
        _ => None,
    }
}

/// Where the statement ends that moves this cursor, a name such as `last_run`, to what a clock says.
///
/// The cursor is a local, a static or a field of `self`: `row.last_run = Utc::now()` sets a column, and lives in the database.
/// It is moved by `=`, by `.store(…)`, `.swap(…)`, `.set(…)`, `.replace(…)`, or lent to one of them: `(&mut last_run, now)`.
/// `let last_run = …` is where it begins and no finding.
pub(crate) fn moved(around: &Around<'_>, name: &str, bound: &[String]) -> Option<usize> {
    if !is_cursor(name) || !is_in_memory(around) {
        return None;
    }
    let tokens = around.tokens;
    let end = (around.at..tokens.len()).find(|at| is_punct(tokens.get(*at), ';')).unwrap_or(tokens.len());
    // `since = slot - a_day` is what a slot is for; `last_run = slot` is a cursor.
    let of_slot = !name.to_ascii_lowercase().starts_with("since");
    let from_clock = |start: usize| reads(&tokens[start.min(end)..end], bound, of_slot);
    // `info!(since = now, "…")` names an argument.
    let is_named = around.punct(1, '=')
        && (around.punct_before(1, ',')
            || (around.at == 0 && end == tokens.len() && tokens.iter().any(|token| is_punct(Some(token), ','))));
    if is_named {
        return None;
    }
    let assigned = (around.at + 1..end).find(|at| is_assignment(tokens, *at)).is_some_and(|at| from_clock(at + 1));
    let stored = around.punct(1, '.') && around.word(2, &["store", "swap", "set", "replace"]) && {
        let call = Around { tokens, at: around.at + 2 };
        call.arguments().is_some_and(|arguments| reads(&listed(arguments.stream()), bound, of_slot))
    };
    let owner = if around.punct_before(1, '.') { 2 } else { 0 };
    let lent = is_lent(around, owner) && {
        let comma = (around.at + 1..end).find(|at| is_punct(tokens.get(*at), ','));
        comma.is_some_and(|comma| from_clock(comma + 1))
    };
    (assigned || stored || lent).then_some(end)
}

/// `&mut last_run`, `&mut self.last_run`, `&mut *LAST_RUN.lock()`
fn is_lent(around: &Around<'_>, owner: usize) -> bool {
    let back = owner + usize::from(around.punct_before(owner + 1, '*'));
    around.word_before(back + 1, &["mut"]) && around.punct_before(back + 2, '&')
}

fn is_in_memory(around: &Around<'_>) -> bool {
    if around.punct_before(1, '.') {
        return around.word_before(2, &["self"]) && !around.punct_before(3, '.');
    }
    let declared = around.word_before(1, &["let", "static", "const", "fn"])
        || (around.word_before(1, &["mut"]) && around.word_before(2, &["let", "static"]));
    // `Row { last_run: … }`, and the type of a parameter.
    let is_field = around.punct(1, ':') && !around.punct(2, ':');
    !declared && !is_field
}

/// `=` alone, not a part of `==`, `=>`, `+=` and the like.
fn is_assignment(tokens: &[TokenTree], at: usize) -> bool {
    let is_sign = |token: Option<&TokenTree>, signs: &str| matches!(token, Some(TokenTree::Punct(sign)) if signs.contains(sign.as_char()));
    is_punct(tokens.get(at), '=')
        && !is_sign(tokens.get(at + 1), "=>")
        && !at.checked_sub(1).is_some_and(|before| is_sign(tokens.get(before), "=<>!+-*/%&|^"))
}

/// Whether a clock is read among these tokens: by its type, by `.now()`, or by a name bound to one; `of_slot` says whether the slot of a run is one.
fn reads(tokens: &[TokenTree], bound: &[String], of_slot: bool) -> bool {
    tokens.iter().enumerate().any(|(at, token)| match token {
        TokenTree::Ident(word) => {
            let (around, name) = (Around { tokens, at }, word.to_string());
            read(&around, &name).is_some()
                || (NOWS.contains(&name.as_str()) && around.is_bare_call())
                || (!around.punct_before(1, '.') && (bound.contains(&name) || (of_slot && name == "slot")))
        }
        TokenTree::Group(group) => reads(&listed(group.stream()), bound, of_slot),
        TokenTree::Punct(_) | TokenTree::Literal(_) => false,
    })
}

fn listed(tokens: TokenStream) -> Vec<TokenTree> {
    tokens.into_iter().collect()
}
