//! `#[repository]`: functions that run inside somebody's transaction, so they begin, retry and commit nothing.
//!
//! A check only: the item is emitted as it is.

mod model;
mod parse;

use proc_macro2::TokenStream;

use crate::error::Errors;

pub(crate) fn expand(args: TokenStream, item: TokenStream) -> TokenStream {
    let mut errors = Errors::default();
    let allow = parse::allow(args, &mut errors);
    if let Some(repository) = errors.take(syn::parse2::<parse::Repository>(item.clone())) {
        model::check(&repository, &allow, &mut errors);
    }
    errors.beside(item)
}
