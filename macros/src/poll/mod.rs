//! `#[poll]`: a function that runs again and again, less often while it fails.

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
    let Some(func) = errors.take(ItemFn::of("poll", item.clone())) else { return errors.beside(item) };
    match model::Poll::new(args, func, &mut errors) {
        Some(poll) if errors.is_empty() => expand::poll(&poll, &written.item()),
        // A registry that lists it finds a poll, and adds no errors of its own.
        Some(poll) => errors.beside(expand::stub(&poll, &written.beside_errors())),
        None => errors.beside(written.within(item)),
    }
}
