//! `#[job]`: a function that runs at its slots.

pub(crate) mod body;
pub(crate) mod cron;
pub(crate) mod expand;
pub(crate) mod model;
pub(crate) mod parameters;
mod parse;

use proc_macro2::TokenStream;

use crate::error::Errors;
use crate::item_fn::ItemFn;

pub(crate) fn expand(args: TokenStream, item: TokenStream) -> TokenStream {
    let mut errors = Errors::default();
    let args = parse::Args::parse(args, &mut errors);
    let Some(func) = errors.take(syn::parse2::<ItemFn>(item.clone())) else { return errors.beside(item) };
    match model::Job::new(args, func, &mut errors) {
        Some(job) if errors.is_empty() => expand::job(&job),
        // A registry that lists it finds a job, and adds no errors of its own.
        Some(job) => errors.beside(expand::stub(&job)),
        None => errors.beside(item),
    }
}
