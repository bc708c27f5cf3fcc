//! `#[provider_call]`: work outside of the database, replayed where that is harmless.

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
    match model::Call::new(args, func, &mut errors) {
        Some(call) if errors.is_empty() => expand::call(&call),
        _ => errors.beside(item),
    }
}
