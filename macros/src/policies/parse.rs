//! `pub policy contention = capped(base = "50ms", cap = "200ms", retries = 3).on(contention);`

use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use syn::ext::IdentExt;
use syn::parse::{Parse, ParseStream};
use syn::{Attribute, LitInt, LitStr, Token, Visibility, parenthesized};

use crate::error::{Errors, bail, err};
use crate::options::{Entry, Keys, Options, joined, split_commas, unknown};

const FORM: &str = "pub policy contention = capped(base = \"50ms\", cap = \"200ms\", retries = 3).on(contention);";

const KEYS: Keys = Keys {
    owner: "capped(…)",
    known: &["base", "cap", "retries", "jitter"],
    example: "base = \"50ms\"",
    explained: &[
        ("attempts", "a policy counts retries, attempts are one more; write `retries = …`"),
        ("times", "the number of retries is written `retries = …`"),
        ("max", "the longest gap is written `cap = \"…\"`, the number of retries `retries = …`"),
        ("factor", "the gaps double up to the cap; leave `factor` out"),
    ],
};

/// One policy as written.
pub(crate) struct Item {
    pub(crate) attrs: Vec<Attribute>,
    pub(crate) vis: Visibility,
    pub(crate) name: Ident,
    /// The word `capped`, where a missing key is reported.
    pub(crate) shape: Ident,
    pub(crate) base: Given<LitStr>,
    pub(crate) cap: Given<LitStr>,
    pub(crate) retries: Given<LitInt>,
    pub(crate) jitter: Option<Ident>,
    /// The words of `.on(…)`; `None` without it.
    pub(crate) on: Option<Vec<Ident>>,
}

/// A key's value; `Wrong` is reported already.
pub(crate) enum Given<T> {
    Value(T),
    Missing,
    Wrong,
}

/// All policies that can be read, each up to its `;`.
pub(crate) fn items(input: TokenStream, errors: &mut Errors) -> Vec<Item> {
    let mut items = Vec::new();
    let mut tokens = Vec::new();
    for token in input {
        let ends = matches!(&token, TokenTree::Punct(end) if end.as_char() == ';');
        tokens.push(token);
        if ends {
            items.extend(item(&std::mem::take(&mut tokens), errors));
        }
    }
    if !tokens.is_empty() {
        items.extend(item(&tokens, errors));
    }
    items
}

fn item(tokens: &[TokenTree], errors: &mut Errors) -> Option<Item> {
    let raw = errors.take(syn::parse2::<Raw>(joined(tokens)))?;
    let mut options = Options::parse(raw.arguments, &KEYS, errors);
    let base = given(options.take("base"), "a duration", "base = \"50ms\"", errors);
    let cap = given(options.take("cap"), "a duration", "cap = \"200ms\"", errors);
    let retries = given(options.take("retries"), "a number", "retries = 3", errors);
    let jitter = options.take("jitter").and_then(|entry| errors.take(entry.value("a word", "jitter = full")));
    let mut on: Option<Vec<Ident>> = None;
    for (word, list) in raw.chain {
        if word != "on" {
            errors.push(unknown(&word, "word", &["on"]));
        } else if on.is_some() {
            errors.push(err!(
                &word,
                "`.on(…)` is given twice; put all kinds into one, for example `.on(deadlock, connection_lost)`"
            ));
        } else {
            on = Some(kinds(list, errors));
        }
    }
    if let Some(rest) = raw.rest {
        errors.push(rest);
    }
    let Raw { attrs, vis, name, shape, .. } = raw;
    Some(Item { attrs, vis, name, shape, base, cap, retries, jitter, on })
}

fn given<T: Parse>(entry: Option<Entry>, what: &str, example: &str, errors: &mut Errors) -> Given<T> {
    match entry.map(|entry| errors.take(entry.value(what, example))) {
        Some(Some(value)) => Given::Value(value),
        Some(None) => Given::Wrong,
        None => Given::Missing,
    }
}

fn kinds(list: TokenStream, errors: &mut Errors) -> Vec<Ident> {
    let mut kinds = Vec::new();
    for chunk in split_commas(list, errors) {
        match chunk.as_slice() {
            [TokenTree::Ident(kind)] => kinds.push(kind.clone()),
            other => {
                errors.push(err!(&joined(other), "`.on(…)` takes kinds of failures, for example `.on(contention)`"))
            }
        }
    }
    kinds
}

/// One policy whose lists are not looked into yet.
struct Raw {
    attrs: Vec<Attribute>,
    vis: Visibility,
    name: Ident,
    shape: Ident,
    arguments: TokenStream,
    chain: Vec<(Ident, TokenStream)>,
    /// What is wrong behind the part that could be read.
    rest: Option<syn::Error>,
}

impl Parse for Raw {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let attrs = input.call(Attribute::parse_outer)?;
        let vis = input.parse()?;
        match input.call(Ident::parse_any) {
            Ok(word) if word == "policy" => {}
            Ok(word) => bail!(&word, "unknown item `{word}`; expected `policy`, written `{FORM}`"),
            Err(error) => bail!(error.span(), "expected `policy`, written `{FORM}`"),
        }
        let name =
            input.parse().map_err(|error| err!(error.span(), "expected the name of the policy, written `{FORM}`"))?;
        input.parse::<Token![=]>().map_err(|error| err!(error.span(), "expected `=`, written `{FORM}`"))?;
        let shape: Ident =
            input.parse().map_err(|error| err!(error.span(), "expected `capped(…)`, written `{FORM}`"))?;
        if shape != "capped" {
            return Err(unknown(&shape, "shape", &["capped"]));
        }
        let arguments = parenthesized(input, shape.span())?;
        let (chain, rest) = match chain(input) {
            Ok(chain) => (chain, None),
            Err(error) => (Vec::new(), Some(error)),
        };
        Ok(Self { attrs, vis, name, shape, arguments, chain, rest })
    }
}

fn chain(input: ParseStream<'_>) -> syn::Result<Vec<(Ident, TokenStream)>> {
    let mut chain = Vec::new();
    while input.parse::<Option<Token![.]>>()?.is_some() {
        let word: Ident = input.parse()?;
        let list = parenthesized(input, word.span())?;
        chain.push((word, list));
    }
    input.parse::<Token![;]>().map_err(|error| err!(error.span(), "expected `.on(…)` or `;`, written `{FORM}`"))?;
    Ok(chain)
}

fn parenthesized(input: ParseStream<'_>, after: Span) -> syn::Result<TokenStream> {
    if !input.peek(syn::token::Paren) {
        bail!(after, "expected `(…)` after this, written `{FORM}`");
    }
    let list;
    parenthesized!(list in input);
    list.parse()
}
