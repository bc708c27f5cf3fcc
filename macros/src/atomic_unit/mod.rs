//! `#[atomic_unit]`: one transaction, replayed as a whole.

mod begin;
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
    let Some(func) = errors.take(ItemFn::of("atomic_unit", item.clone())) else { return errors.beside(item) };
    match model::Unit::new(args, func, &mut errors) {
        Some(unit) if errors.is_empty() => expand::unit(&unit, &written.item()),
        // Callers pass a pool: with the signature in place they add no errors of their own.
        Some(unit) => errors.beside(expand::signature_only(&unit, &written.beside_errors())),
        None => errors.beside(written.within(item)),
    }
}
