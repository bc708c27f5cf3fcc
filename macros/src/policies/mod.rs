//! `policies!`: the retry policies of a crate.

mod doc;
mod expand;
mod model;
mod parse;

use proc_macro2::TokenStream;

use crate::error::Errors;
use crate::private::{called, leading};

pub(crate) fn expand(input: TokenStream) -> TokenStream {
    let mut errors = Errors::default();
    let (runtime, input) = leading(input, &mut errors);
    let _called = called(runtime.as_ref());
    let items = parse::items(input, &mut errors);
    let written: Vec<_> = items.iter().flat_map(|item| item.written().to_vec()).collect();
    let all = model::all(items, &mut errors);
    let keys = written.iter().map(|keys| if errors.is_empty() { keys.item() } else { keys.beside_errors() });
    let mut items = expand::policies(&all);
    items.extend(keys);
    errors.beside(items)
}
