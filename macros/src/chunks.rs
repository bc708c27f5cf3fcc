//! Token streams cut at their commas: a mistake in one piece leaves the others readable.

use proc_macro2::{Ident, TokenStream, TokenTree};
use quote::ToTokens;
use syn::parse::{Parse, Parser};

use crate::error::{Errors, err};

/// The chunks between commas; an empty one (`a,, b`) is an error, a trailing comma is not.
pub(crate) fn split_commas(input: TokenStream, errors: &mut Errors) -> Vec<Vec<TokenTree>> {
    let mut chunks = Vec::new();
    let mut chunk = Vec::new();
    for token in input {
        match &token {
            TokenTree::Punct(comma) if comma.as_char() == ',' => {
                if chunk.is_empty() {
                    errors.push(err!(&token, "nothing stands before this `,`; remove it"));
                } else {
                    chunks.push(std::mem::take(&mut chunk));
                }
            }
            _ => chunk.push(token),
        }
    }
    if !chunk.is_empty() {
        chunks.push(chunk);
    }
    chunks
}

/// The first of these words among the tokens, at any depth.
pub(crate) fn find(tokens: TokenStream, words: &[&str]) -> Option<Ident> {
    tokens.into_iter().find_map(|token| match token {
        TokenTree::Ident(ident) if words.iter().any(|word| ident == word) => Some(ident),
        TokenTree::Group(group) => find(group.stream(), words),
        _ => None,
    })
}

/// Parses the whole of these tokens.
pub(crate) fn whole<T: Parse>(tokens: &[TokenTree]) -> syn::Result<T> {
    T::parse.parse2(joined(tokens))
}

pub(crate) fn joined(tokens: &[TokenTree]) -> TokenStream {
    tokens.iter().map(ToTokens::to_token_stream).collect()
}
