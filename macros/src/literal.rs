//! How long a literal may be. Longer ones are refused before they are read: to undo the escapes of a mebibyte takes a debug build a
//! third of a second.

use proc_macro2::{Literal, TokenStream, TokenTree};

use crate::error::bail;

/// Nobody writes more; a longer literal is a paste gone wrong.
const MAX_BYTES: usize = 256;

/// `Ok` if no literal among these tokens is longer; `of` is what they belong to.
pub(crate) fn bounded(tokens: &TokenStream, of: &str) -> syn::Result<()> {
    for token in tokens.clone() {
        match token {
            TokenTree::Literal(literal) => one(&literal, of)?,
            TokenTree::Group(group) => bounded(&group.stream(), of)?,
            TokenTree::Ident(_) | TokenTree::Punct(_) => {}
        }
    }
    Ok(())
}

/// `Ok` if this literal is not longer, as it is written between its quotes.
pub(crate) fn one(literal: &Literal, of: &str) -> syn::Result<()> {
    let bytes = literal.to_string().len().saturating_sub(2);
    if bytes > MAX_BYTES {
        bail!(literal, "{of} takes at most {MAX_BYTES} bytes, and this literal has {bytes}; write a shorter one");
    }
    Ok(())
}
