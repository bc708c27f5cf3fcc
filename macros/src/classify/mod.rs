//! `#[derive(Classify)]`: which of an error's variants a later attempt could mend.

mod expand;
mod model;
mod parse;

use proc_macro2::TokenStream;

use crate::error::Errors;

pub(crate) fn expand(input: TokenStream) -> TokenStream {
    let mut errors = Errors::default();
    let item = errors.take(syn::parse2::<syn::Item>(input));
    let error = item.and_then(|item| model::ErrorType::new(item, &mut errors));
    // The impl is emitted beside errors too: a unit with this error type must not add one of its own.
    errors.beside(error.map(|error| expand::implementation(&error)).unwrap_or_default())
}
