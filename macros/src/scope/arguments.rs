//! Arguments of a function that is replayed: by value means a copy for each attempt, by `&` is borrowed.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{FnArg, Pat, PatIdent, PatType, Type};

use super::Words;
use crate::error::{Errors, err};
use crate::private::private;
use crate::types;

/// The parameters as the expansion declares them, and what gives each attempt its own copies.
pub(crate) struct Arguments {
    pub(crate) inputs: Vec<FnArg>,
    /// `let trial = replay(&trial);` for each argument by value.
    pub(crate) replays: Vec<TokenStream>,
    names: usize,
}

impl Arguments {
    pub(crate) fn new() -> Self {
        Self { inputs: Vec::new(), replays: Vec::new(), names: 0 }
    }

    /// Takes in an argument that is not the transaction.
    pub(crate) fn push(&mut self, argument: PatType, words: &Words, errors: &mut Errors) {
        let a_short = words.a_short;
        if types::is_pool(&argument.ty) {
            errors.push(err!(
                &argument.ty,
                "{a_short} cannot take a pool, statements on it commit by themselves and a replay applies them again; remove \
                 the parameter{}",
                if words.mutable.is_empty() { "" } else { " and use the transaction" }
            ));
        }
        let plain = matches!(&*argument.pat, Pat::Ident(PatIdent { by_ref: None, mutability: None, subpat: None, .. }));
        match types::peel(&argument.ty) {
            Type::Reference(by) if by.mutability.is_some() => errors.push(err!(
                &argument.ty,
                "{a_short} cannot take `&mut`, a replay would see the first attempt's changes; take it by value or by `&`{}",
                words.mutable
            )),
            // Nothing can change behind a shared reference, but a `mut` binding of it can.
            Type::Reference(_) if plain => {}
            _ if matches!(&*argument.pat, Pat::Wild(_)) => {}
            _ => return self.push_replayed(argument),
        }
        self.inputs.push(FnArg::Typed(argument));
    }

    /// The parameter gets a plain name; the user's pattern moves to where the copy is made.
    fn push_replayed(&mut self, mut argument: PatType) {
        let pattern = argument.pat.clone();
        let name = match &*pattern {
            Pat::Ident(PatIdent { by_ref: None, subpat: None, ident, .. }) => ident.clone(),
            _ => self.fresh_name(pattern.span()),
        };
        // On the type: "`Big` cannot be cloned" belongs there.
        let span = argument.ty.span();
        let private = private(span);
        let copy = quote_spanned!(span=> #private::replay(&#name));
        let attrs = &argument.attrs;
        // The copy takes the argument's name on purpose, also where `shadow_reuse` is denied, and is no use of a `_slot`.
        self.replays.push(
            quote!(#[allow(clippy::shadow_reuse, clippy::used_underscore_binding)] #(#attrs)* let #pattern = #copy;),
        );
        *argument.pat =
            Pat::Ident(PatIdent { attrs: Vec::new(), by_ref: None, mutability: None, ident: name, subpat: None });
        self.inputs.push(FnArg::Typed(argument));
    }

    fn fresh_name(&mut self, at: Span) -> Ident {
        self.names += 1;
        format_ident!("__arg{}", self.names, span = Span::mixed_site().located_at(at))
    }
}
