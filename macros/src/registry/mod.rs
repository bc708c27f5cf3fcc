//! `registry!`: the jobs that one application runs.

mod expand;
mod parse;

use proc_macro2::TokenStream;

use crate::error::Errors;
use crate::private::{called, leading};

pub(crate) fn expand(input: TokenStream) -> TokenStream {
    let mut errors = Errors::default();
    let (runtime, input) = leading(input, &mut errors);
    let _called = called(runtime.as_ref());
    let registry = errors.take(syn::parse2::<parse::Registry>(input));
    let expansion = registry.map(|registry| {
        let jobs = registry.jobs(&mut errors);
        expand::registry(&registry, &jobs)
    });
    errors.beside(expansion.unwrap_or_default())
}
