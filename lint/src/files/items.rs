//! What is not judged here: tests, and items whose bodies the macros have judged.

use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};

use crate::around::{is_brace, is_punct, is_word};
use crate::scan::DEEPEST;

/// What makes a function a test.
const TESTS: [&str; 6] = ["test", "bench", "rstest", "test_case", "proptest", "quickcheck"];
/// Attributes of steadfast that judge a body.
const JUDGES: [&str; 5] = ["atomic_unit", "provider_call", "repository", "job", "poll"];
const ITEMS: [&str; 19] = [
    "pub",
    "fn",
    "mod",
    "impl",
    "struct",
    "enum",
    "trait",
    "async",
    "const",
    "unsafe",
    "extern",
    "static",
    "type",
    "use",
    "macro_rules",
    "union",
    "let",
    "default",
    "macro",
];

/// How many tokens from this one on are not judged: an item with its attributes, or what a macro takes.
pub(crate) fn unjudged(tokens: &[TokenTree], at: usize) -> usize {
    if is_matcher(tokens, at) {
        return 1;
    }
    unless(tokens, at, |attribute| is_test(attribute) || is_judged(attribute))
}

/// How many tokens from this one on are there for tests only.
pub(crate) fn of_tests(tokens: &[TokenTree], at: usize) -> usize {
    unless(tokens, at, is_test)
}

/// The end of an item that one of its attributes takes out; 0 for all others.
fn unless(tokens: &[TokenTree], at: usize, is_out: impl Fn(&Group) -> bool) -> usize {
    if !is_punct(tokens.get(at), '#') {
        return 0;
    }
    // `#![cfg(test)]` is about the rest of the file or of the block.
    if is_punct(tokens.get(at + 1), '!') {
        return match tokens.get(at + 2) {
            Some(TokenTree::Group(inner)) if is_out(inner) => tokens.len() - at,
            _ => 0,
        };
    }
    let (attributes, item) = attributes(tokens, at);
    if attributes.into_iter().any(is_out) { end_of_item(tokens, item) - at } else { 0 }
}

/// The attributes from here on, and where what they stand on begins.
pub(crate) fn attributes(tokens: &[TokenTree], mut at: usize) -> (Vec<&Group>, usize) {
    let mut all = Vec::new();
    while is_punct(tokens.get(at), '#') {
        let Some(TokenTree::Group(attribute)) = tokens.get(at + 1) else { break };
        all.push(attribute);
        at += 2;
    }
    (all, at)
}

/// Past the `;` or the braces of an item; of an expression or an arm, also past its `,`.
fn end_of_item(tokens: &[TokenTree], start: usize) -> usize {
    let is_item = is_word(tokens.get(start), &ITEMS);
    let is_end = |at: &usize| {
        let token = tokens.get(*at);
        is_punct(token, ';') || is_brace(token) || (!is_item && is_punct(token, ','))
    };
    (start..tokens.len()).find(is_end).map_or(tokens.len(), |end| end + 1)
}

/// The pattern of a `macro_rules!`: what it takes is written elsewhere.
fn is_matcher(tokens: &[TokenTree], at: usize) -> bool {
    let is_arm = is_punct(tokens.get(at + 1), '=') && is_punct(tokens.get(at + 2), '>');
    match &tokens[at] {
        TokenTree::Group(group) => is_arm && has_variable(group.stream(), 0),
        _ => false,
    }
}

fn has_variable(stream: TokenStream, depth: usize) -> bool {
    // Deeper than anybody writes: what stands there is walked, and found too deep.
    depth <= DEEPEST
        && stream.into_iter().any(|token| match token {
            TokenTree::Group(group) => has_variable(group.stream(), depth + 1),
            token => is_punct(Some(&token), '$'),
        })
}

/// The segments of the path that an attribute begins with, and what follows it.
fn path(attribute: &TokenStream) -> (Vec<String>, Option<Group>) {
    let mut segments = Vec::new();
    for token in attribute.clone() {
        match token {
            TokenTree::Ident(segment) => segments.push(segment.to_string()),
            TokenTree::Punct(colon) if colon.as_char() == ':' => {}
            TokenTree::Group(group) => return (segments, Some(group)),
            TokenTree::Punct(_) | TokenTree::Literal(_) => break,
        }
    }
    (segments, None)
}

fn is_test(attribute: &Group) -> bool {
    let (segments, arguments) = path(&attribute.stream());
    match (segments.last().map(String::as_str), arguments) {
        (Some("cfg"), Some(condition)) => needs_test(&condition.stream()),
        (Some(last), _) => TESTS.contains(&last),
        (None, _) => false,
    }
}

/// Whether a condition holds in tests only: `test`, `all(test, …)`, `any(test, all(test, …))`.
fn needs_test(condition: &TokenStream) -> bool {
    let (segments, arguments) = path(condition);
    let parts = arguments.map(|arguments| split(arguments.stream())).unwrap_or_default();
    match segments.last().map(String::as_str) {
        Some("test") => true,
        Some("all") => parts.iter().any(needs_test),
        Some("any") => !parts.is_empty() && parts.iter().all(needs_test),
        _ => false,
    }
}

/// `#[job(…)]`, `#[steadfast::job(…)]`, and one of them under `cfg_attr`. Another crate's `#[other::job]` judges nothing.
fn is_judged(attribute: &Group) -> bool {
    judges(&attribute.stream(), &JUDGES)
}

pub(crate) fn judges(attribute: &TokenStream, names: &[&str]) -> bool {
    let (segments, arguments) = path(attribute);
    let segments: Vec<_> = segments.iter().map(String::as_str).collect();
    match (&segments[..], arguments) {
        (["cfg_attr"], Some(list)) => split(list.stream()).iter().skip(1).any(|part| judges(part, names)),
        ([name] | ["steadfast", name], _) => names.contains(name),
        // Steadfast by another name says where it is.
        ([.., name], Some(list)) => names.contains(name) && split(list.stream()).iter().any(says_crate),
        _ => false,
    }
}

/// `crate = …`
fn says_crate(key: &TokenStream) -> bool {
    let mut tokens = key.clone().into_iter();
    is_word(tokens.next().as_ref(), &["crate"]) && is_punct(tokens.next().as_ref(), '=')
}

/// The parts between commas.
pub(crate) fn split(list: TokenStream) -> Vec<TokenStream> {
    let mut parts = vec![Vec::new()];
    for token in list {
        if is_punct(Some(&token), ',') {
            parts.push(Vec::new());
        } else if let Some(last) = parts.last_mut() {
            last.push(token);
        }
    }
    parts.into_iter().filter(|part| !part.is_empty()).map(|part| part.into_iter().collect()).collect()
}

/// The brackets that come last: the list of a registry.
pub(crate) fn last_brackets(tokens: TokenStream) -> Option<Group> {
    let brackets = |token| match token {
        TokenTree::Group(group) if group.delimiter() == Delimiter::Bracket => Some(group),
        _ => None,
    };
    tokens.into_iter().filter_map(brackets).last()
}
