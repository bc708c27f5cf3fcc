//! `#[poll]`: a function that runs again and again, less often while it fails.

mod expand;
mod model;
mod parse;

use proc_macro2::TokenStream;

use crate::error::Errors;
use crate::item_fn::ItemFn;

pub(crate) fn expand(args: TokenStream, item: TokenStream) -> TokenStream {
    let mut errors = Errors::default();
    let args = parse::Args::parse(args, &mut errors);
    let Some(func) = errors.take(syn::parse2::<ItemFn>(item.clone())) else { return errors.beside(item) };
    match model::Poll::new(args, func, &mut errors) {
        Some(poll) if errors.is_empty() => expand::poll(&poll),
        // A registry that lists it finds a poll, and adds no errors of its own.
        Some(poll) => errors.beside(expand::stub(&poll)),
        None => errors.beside(item),
    }
}
