//! Requests that are not idempotent, in what is retried.

use proc_macro2::{Group, Ident, TokenStream, TokenTree};

use crate::around::{Around, is_punct};

/// The first `.post(…)` or `.patch(…)` in there, unless a word or a text says something of idempotency.
pub(crate) fn unkeyed(region: &TokenStream) -> Option<Ident> {
    let mut seen = Seen::default();
    look(region.clone(), &mut seen);
    seen.post.filter(|_| !seen.key)
}

#[derive(Default)]
struct Seen {
    post: Option<Ident>,
    key: bool,
}

fn look(stream: TokenStream, seen: &mut Seen) {
    let tokens: Vec<TokenTree> = stream.into_iter().collect();
    for (at, token) in tokens.iter().enumerate() {
        match token {
            TokenTree::Group(group) => look(group.stream(), seen),
            TokenTree::Ident(word) => {
                let around = Around { tokens: &tokens, at };
                if seen.post.is_none() && (word == "post" || word == "patch") && around.is_method_call() {
                    seen.post = Some(word.clone());
                }
                seen.key |= speaks_of_a_key(&word.to_string());
            }
            TokenTree::Literal(text) => seen.key |= speaks_of_a_key(&text.to_string()),
            TokenTree::Punct(_) => {}
        }
    }
}

/// `Idempotency-Key`, `IdempotencyKey`, `idempotent`.
fn speaks_of_a_key(text: &str) -> bool {
    text.to_ascii_lowercase().contains("idempoten")
}

/// What the retry at this word retries, as far as it stands in place: its arguments, and what `.retry(…)` is called on.
pub(crate) fn retried<'a>(around: &Around<'a>) -> impl Iterator<Item = &'a Group> {
    let called_on = if around.punct_before(1, '.') { around.before(2) } else { None };
    let end = |at: &usize| !is_punct(around.tokens.get(*at), ';');
    let arguments = (around.at + 1..around.tokens.len().min(around.at + 16))
        .take_while(end)
        .find_map(|at| Around { tokens: around.tokens, at: at - 1 }.arguments());
    let called_on = called_on.and_then(|token| match token {
        TokenTree::Group(group) => Some(group),
        _ => None,
    });
    called_on.into_iter().chain(arguments)
}
