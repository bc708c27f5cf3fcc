//! The attribute macros of steadfast.

mod atomic_unit;
mod body;
mod classify;
mod duration;
mod error;
mod item_fn;
mod job;
mod options;
mod policies;
mod private;
mod provide;
mod provider_call;
mod registry;
mod repository;
mod scope;
mod types;

use proc_macro::TokenStream;

/// One transaction, replayed as a whole.
#[proc_macro_attribute]
pub fn atomic_unit(args: TokenStream, item: TokenStream) -> TokenStream {
    atomic_unit::expand(args.into(), item.into()).into()
}

/// Work outside of the database, replayed where that is harmless.
#[proc_macro_attribute]
pub fn provider_call(args: TokenStream, item: TokenStream) -> TokenStream {
    provider_call::expand(args.into(), item.into()).into()
}

/// Functions that run inside a caller's transaction.
#[proc_macro_attribute]
pub fn repository(args: TokenStream, item: TokenStream) -> TokenStream {
    repository::expand(args.into(), item.into()).into()
}

/// A function that runs at its slots.
#[proc_macro_attribute]
pub fn job(args: TokenStream, item: TokenStream) -> TokenStream {
    job::expand(args.into(), item.into()).into()
}

/// The retry policies of a crate.
#[proc_macro]
pub fn policies(input: TokenStream) -> TokenStream {
    policies::expand(input.into()).into()
}

/// The jobs that one application runs.
#[proc_macro]
pub fn registry(input: TokenStream) -> TokenStream {
    registry::expand(input.into()).into()
}

/// Which of an error's variants a later attempt could mend.
#[proc_macro_derive(Classify, attributes(classify))]
pub fn classify(input: TokenStream) -> TokenStream {
    classify::expand(input.into()).into()
}

/// What an application hands to its jobs.
#[proc_macro_derive(Provide, attributes(provide))]
pub fn provide(input: TokenStream) -> TokenStream {
    provide::expand(input.into()).into()
}
