//! The one place that knows what the runtime crate is called: `::steadfast`, or what `crate = …` says.

use std::cell::RefCell;

use proc_macro2::{Delimiter, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote_spanned};
use syn::parse::Parser;
use syn::{Attribute, Item, Meta, Path};

use crate::chunks::joined;
use crate::error::{Errors, bail, err};

pub(crate) const CRATE: &str = "crate";
pub(crate) const EXAMPLE: &str = "crate = ::shop_kit::steadfast";

thread_local! {
    /// Of the expansion under way: a thread has one at a time, and every part of it writes paths.
    static CALLED: RefCell<Option<TokenStream>> = const { RefCell::new(None) };
}

/// Until this is dropped, the runtime is called so.
pub(crate) struct Called {
    before: Option<TokenStream>,
}

/// The runtime is called like this path, or `::steadfast` without one.
pub(crate) fn called(path: Option<&Path>) -> Called {
    Called { before: CALLED.replace(path.map(ToTokens::to_token_stream)) }
}

impl Drop for Called {
    fn drop(&mut self) {
        CALLED.set(self.before.take());
    }
}

/// The path behind `crate =`, which must mean the same wherever its tokens end up.
pub(crate) fn path(tokens: &TokenStream) -> syn::Result<Path> {
    if let Ok(text) = syn::parse2::<syn::LitStr>(tokens.clone()) {
        bail!(&text, "`crate` takes a path, not a text; write `crate = {}`", text.value().escape_debug());
    }
    let Ok(path) = Path::parse_mod_style.parse2(tokens.clone()) else {
        bail!(tokens, "`crate` takes the path by which this crate reaches steadfast, for example `{EXAMPLE}`");
    };
    // A `macro_rules!` of another crate writes `$crate`.
    let begins = path.segments.first().is_some_and(|first| first.ident == "crate" || first.ident == "$crate");
    if path.leading_colon.is_some() || begins {
        return Ok(path);
    }
    Err(err!(
        &path,
        "this path means another thing in another module; begin it with `::` or `crate::`, for example `{EXAMPLE}`"
    ))
}

/// `crate = …;` at the beginning of what stands in `policies!` or `registry!`, and the rest.
pub(crate) fn leading(input: TokenStream, errors: &mut Errors) -> (Option<Path>, TokenStream) {
    let tokens: Vec<TokenTree> = input.into_iter().collect();
    let Some(value) = after_crate(&tokens) else { return (None, joined(&tokens)) };
    // Without the `;`, the path ends where it ends.
    let in_path = |token: &TokenTree| match token {
        TokenTree::Punct(sign) => matches!(sign.as_char(), ':' | '<' | '>' | '$'),
        TokenTree::Ident(_) | TokenTree::Literal(_) => true,
        TokenTree::Group(group) => group.delimiter() == Delimiter::None,
    };
    let starts_item = |token: &TokenTree| ["static", "pub", "policy", "schedule"].iter().any(|word| is(token, word));
    let end = value.iter().position(|token| !in_path(token) || starts_item(token)).unwrap_or(value.len());
    let (value, mut rest) = value.split_at(end);
    let path = if value.is_empty() {
        errors.push(err!(&tokens[0], "`crate` takes a value, for example `{EXAMPLE};`"));
        None
    } else {
        errors.take(path(&joined(value)))
    };
    match rest {
        [TokenTree::Punct(end), after @ ..] if end.as_char() == ';' => rest = after,
        // One mistake is enough for a path that is none.
        _ if path.is_none() => {}
        _ => errors.push(err!(&joined(value), "expected `;` after the path, written `{EXAMPLE};`")),
    }
    (path, joined(rest))
}

fn is(token: &TokenTree, word: &str) -> bool {
    matches!(token, TokenTree::Ident(ident) if ident == word)
}

/// `#[classify(crate = …)]` above the item of a derive, taken from its attributes.
pub(crate) fn above(item: &mut Item, helper: &str, errors: &mut Errors) -> Option<Path> {
    let attrs = match item {
        Item::Enum(item) => &mut item.attrs,
        Item::Struct(item) => &mut item.attrs,
        _ => return None,
    };
    let at = attrs.iter().position(|attr| value(attr, helper).is_some())?;
    let value = value(&attrs.remove(at), helper)?;
    if value.clone().into_iter().any(|token| matches!(&token, TokenTree::Punct(comma) if comma.as_char() == ',')) {
        errors.push(err!(
            &value,
            "`crate` stands in an attribute of its own; write `#[{helper}({EXAMPLE})]` and the rest in another one"
        ));
        return None;
    }
    if value.is_empty() {
        errors.push(err!(&item, "`crate` takes a value, for example `#[{helper}({EXAMPLE})]`"));
        return None;
    }
    errors.take(path(&value))
}

/// What stands behind `crate =` in an attribute of that name.
fn value(attr: &Attribute, helper: &str) -> Option<TokenStream> {
    match &attr.meta {
        Meta::List(list) if list.path.is_ident(helper) => {
            let tokens: Vec<TokenTree> = list.tokens.clone().into_iter().collect();
            after_crate(&tokens).map(joined)
        }
        _ => None,
    }
}

fn after_crate(tokens: &[TokenTree]) -> Option<&[TokenTree]> {
    match tokens {
        [TokenTree::Ident(word), TokenTree::Punct(is), value @ ..] if word == CRATE && is.as_char() == '=' => {
            Some(value)
        }
        _ => None,
    }
}

/// `::steadfast`, every token with this span: rustc underlines a path from its first token.
pub(crate) fn runtime(span: Span) -> TokenStream {
    CALLED.with_borrow(|called| match called {
        None => quote_spanned!(span=> ::steadfast),
        Some(path) => path.clone().into_iter().map(|token| at(token, span)).collect(),
    })
}

/// `::steadfast::__private`, what only expansions name.
pub(crate) fn private(span: Span) -> TokenStream {
    let runtime = runtime(span);
    quote_spanned!(span=> #runtime::__private)
}

/// The token at another place, with the meaning that it has: `$crate` is its author's crate.
fn at(mut token: TokenTree, span: Span) -> TokenTree {
    token.set_span(token.span().located_at(span));
    token
}
