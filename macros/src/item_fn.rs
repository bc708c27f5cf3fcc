//! A function with its signature parsed and its body kept as tokens: the body is the user's, and half-typed
//! bodies must not be an error of ours.

use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::parse::{Parse, ParseStream, Parser};
use syn::{Attribute, Signature, Token, Visibility};

use crate::error::err;

/// A free function, or a method of an `impl` or a trait.
pub(crate) struct ItemFn {
    pub(crate) attrs: Vec<Attribute>,
    pub(crate) vis: Visibility,
    pub(crate) sig: Signature,
    /// `#![…]` at the start of the body: they must stay at the start of the function.
    pub(crate) inner: Vec<Attribute>,
    /// The braces with all within; `None` for a declaration in a trait.
    pub(crate) body: Option<Group>,
}

impl Parse for ItemFn {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let attrs = input.call(Attribute::parse_outer)?;
        let vis = input.parse()?;
        let sig = input.parse()?;
        if input.parse::<Option<Token![;]>>()?.is_some() {
            return Ok(Self { attrs, vis, sig, inner: Vec::new(), body: None });
        }
        let (inner, body) = split_inner(braces(input.parse()?)?)?;
        Ok(Self { attrs, vis, sig, inner, body: Some(body) })
    }
}

impl ItemFn {
    /// The item that the attribute of this name stands on.
    pub(crate) fn of(attribute: &str, item: TokenStream) -> syn::Result<Self> {
        let is_function =
            item.clone().into_iter().any(|token| matches!(&token, TokenTree::Ident(word) if word == "fn"));
        let place = item.clone();
        syn::parse2(item).map_err(|error| {
            // A half-typed function is told by what is expected next.
            if is_function || place.is_empty() {
                return error;
            }
            err!(
                &place,
                "`#[{attribute}]` stands on an `async fn`; move it to one, for example above `async fn close_trials(…)`"
            )
        })
    }

    /// The function's name without `r#`, for messages and names at run time.
    pub(crate) fn name(&self) -> String {
        use syn::ext::IdentExt;
        self.sig.ident.unraw().to_string()
    }

    pub(crate) fn body_tokens(&self) -> TokenStream {
        self.body.as_ref().map(Group::stream).unwrap_or_default()
    }

    /// `#[cfg(…)]`s below the attribute that expands; the ones above it are gone already.
    pub(crate) fn cfgs(&self) -> impl Iterator<Item = &Attribute> {
        self.attrs.iter().filter(|attr| attr.path().is_ident("cfg"))
    }
}

impl ToTokens for ItemFn {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        let Self { attrs, vis, sig, inner, body } = self;
        tokens.extend(quote!(#(#attrs)* #vis #sig));
        match body {
            Some(body) if inner.is_empty() => body.to_tokens(tokens),
            Some(body) => tokens.extend(quote!({ #(#inner)* #body })),
            None => tokens.extend(quote!(;)),
        }
    }
}

/// The braces, also those that are a `$body:block` of `macro_rules`, which wraps them in a group without delimiters.
fn braces(token: TokenTree) -> syn::Result<Group> {
    match token {
        TokenTree::Group(group) if group.delimiter() == Delimiter::Brace => Ok(group),
        TokenTree::Group(group) if group.delimiter() == Delimiter::None => braces(syn::parse2(group.stream())?),
        other => Err(syn::Error::new(other.span(), "expected the body of the function")),
    }
}

fn split_inner(body: Group) -> syn::Result<(Vec<Attribute>, Group)> {
    let parser = |input: ParseStream<'_>| Ok((input.call(Attribute::parse_inner)?, input.parse::<TokenStream>()?));
    let (inner, rest) = parser.parse2(body.stream())?;
    if inner.is_empty() {
        return Ok((inner, body));
    }
    let mut outer = Group::new(Delimiter::Brace, rest);
    outer.set_span(body.span());
    Ok((inner, outer))
}
