//! `#[derive(Classify)]`: which of an error's variants a later attempt could mend.

mod expand;
mod model;
mod parse;

use proc_macro2::TokenStream;

use crate::error::Errors;
use crate::private::{above, called};

pub(crate) fn expand(input: TokenStream) -> TokenStream {
    let mut errors = Errors::default();
    let mut item = errors.take(syn::parse2::<syn::Item>(input));
    let runtime = item.as_mut().and_then(|item| above(item, "classify", &mut errors));
    let _called = called(runtime.as_ref());
    let error = item.and_then(|item| model::ErrorType::new(item, &mut errors));
    // The impl is emitted beside errors too: a unit with this error type must not add one of its own.
    errors.beside(error.map(|error| expand::implementation(&error)).unwrap_or_default())
}
