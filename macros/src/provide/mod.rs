//! `#[derive(Provide)]`: what an application hands to its jobs.

mod expand;
mod model;

use proc_macro2::TokenStream;

use crate::error::Errors;
use crate::private::{above, called};

pub(crate) fn expand(input: TokenStream) -> TokenStream {
    let mut errors = Errors::default();
    let mut item = errors.take(syn::parse2::<syn::Item>(input));
    let runtime = item.as_mut().and_then(|item| above(item, "provide", &mut errors));
    let _called = called(runtime.as_ref());
    let app = item.and_then(|item| model::App::new(item, &mut errors));
    // A derive stands beside its item, so errors and the valid impls are all there is to emit.
    errors.beside(app.map(|app| expand::impls(&app)).unwrap_or_default())
}
