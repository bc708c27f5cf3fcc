//! `#[provider_call]`: work outside of the database, replayed where that is harmless.

mod expand;
mod model;
mod parse;

use proc_macro2::TokenStream;

use crate::error::Errors;
use crate::item_fn::ItemFn;
use crate::private::called;

pub(crate) fn expand(args: TokenStream, item: TokenStream) -> TokenStream {
    let mut errors = Errors::default();
    let args = parse::Args::parse(args, &mut errors);
    let _called = called(args.runtime.as_ref());
    let written = args.written.clone();
    let Some(func) = errors.take(ItemFn::of("provider_call", item.clone())) else { return errors.beside(item) };
    match model::Call::new(args, func, &mut errors) {
        Some(call) if errors.is_empty() => expand::call(&call, &written.item()),
        _ => errors.beside(written.within(item)),
    }
}
