//! `policies!`: the retry policies of a crate.

mod doc;
mod expand;
mod model;
mod parse;

use proc_macro2::TokenStream;

use crate::error::Errors;

pub(crate) fn expand(input: TokenStream) -> TokenStream {
    let mut errors = Errors::default();
    let items = parse::items(input, &mut errors);
    let all = model::all(items, &mut errors);
    errors.beside(expand::policies(&all))
}
