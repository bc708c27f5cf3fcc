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
use crate::private::called;

pub(crate) fn expand(args: TokenStream, item: TokenStream) -> TokenStream {
    let mut errors = Errors::default();
    let args = parse::Args::parse(args, &mut errors);
    let _called = called(args.runtime.as_ref());
    let written = args.written.clone();
    let Some(func) = errors.take(ItemFn::of("job", item.clone())) else { return errors.beside(item) };
    match model::Job::new(args, func, &mut errors) {
        Some(job) if errors.is_empty() => expand::job(&job, &written.item()),
        // A registry that lists it finds a job, and adds no errors of its own.
        Some(job) => errors.beside(expand::stub(&job, &written.beside_errors())),
        None => errors.beside(written.within(item)),
    }
}
