//! What a job takes: its slot, then what the application provides, by reference.

use proc_macro2::{TokenStream, TokenTree};
use syn::{Attribute, FnArg, Meta, PatType, Type, TypeReference};

use crate::error::{Errors, err};
use crate::item_fn::ItemFn;
use crate::types::{self, Transaction};

/// A parameter after the slot.
pub(crate) enum Parameter {
    /// `&T`: the application provides a `T`.
    Provided(Type),
    /// `&JobClock`: the run has one.
    Clock,
    /// `&Lease`: an exclusive run holds one.
    Lease(Type),
    /// `&mut Tx<'_>` of a job that is a unit too: the application provides its pool.
    Transaction(Type),
}

pub(crate) fn parameters(func: &ItemFn, errors: &mut Errors) -> Vec<Parameter> {
    let mut inputs = func.sig.inputs.iter();
    match inputs.next() {
        Some(FnArg::Typed(first)) if types::is_named(&first.ty, "Slot") => {}
        Some(FnArg::Typed(first)) => errors.push(err!(
            &first.ty,
            "the first parameter of a job is its slot, taken by value; write `slot: Slot` before the others"
        )),
        Some(FnArg::Receiver(_)) => {}
        None => errors.push(err!(&func.sig.ident, "the first parameter of a job is its slot; add `slot: Slot`")),
    }
    let has_slot = matches!(func.sig.inputs.first(), Some(FnArg::Typed(first)) if types::is_named(&first.ty, "Slot"));
    let unit = unit_attribute(&func.attrs);
    let mut parameters = Vec::new();
    for input in inputs {
        if let FnArg::Typed(argument) = input {
            parameters.extend(errors.take(parameter(argument, unit.as_ref(), has_slot)).flatten());
        }
    }
    parameters
}

fn parameter(argument: &PatType, unit: Option<&Unit>, has_slot: bool) -> syn::Result<Option<Parameter>> {
    let ty = &argument.ty;
    if let Some(condition) = argument.attrs.iter().find(|attr| attr.path().is_ident("cfg")) {
        // A bound cannot stand under a condition.
        return Err(err!(
            condition,
            "what a job takes is checked against the application, with or without a condition; put it on the job, for example \
             `#[cfg(…)] #[job(…)]`"
        ));
    }
    match (types::transaction(ty), unit) {
        (Transaction::Mutable(_), Some(Unit { has_pool: true })) => return Ok(None),
        (Transaction::Mutable(ty), Some(_)) => return Ok(Some(Parameter::Transaction(ty.clone()))),
        (Transaction::Mutable(_) | Transaction::Unusable, _) => {
            return Err(err!(
                ty,
                "a job has no transaction of its own; add `#[atomic_unit(…)]` to it, or take the pool and call a unit"
            ));
        }
        (Transaction::None, _) => {}
    }
    match types::peel(ty) {
        Type::Reference(TypeReference { mutability: None, elem, .. }) if types::is_named(elem, "JobClock") => {
            Ok(Some(Parameter::Clock))
        }
        Type::Reference(TypeReference { mutability: None, elem, .. }) if types::is_named(elem, "Lease") => {
            Ok(Some(Parameter::Lease(types::peel(elem).clone())))
        }
        Type::Reference(TypeReference { mutability: None, elem, .. }) => {
            Ok(Some(Parameter::Provided(types::peel(elem).clone())))
        }
        Type::Reference(_) => {
            Err(err!(ty, "a job shares what it takes with other runs; take it by `&`, not by `&mut`"))
        }
        // Behind another first parameter it only stands in the wrong place, which is reported there.
        other if types::is_named(other, "Slot") && !has_slot => Ok(None),
        other if types::is_named(other, "Slot") => {
            Err(err!(ty, "a job has one slot, its first parameter; remove this one"))
        }
        other => {
            Err(err!(ty, "a job takes what the application provides by reference; write `&{}`", types::shown(other)))
        }
    }
}

/// An `#[atomic_unit]` that has yet to expand below this attribute.
struct Unit {
    /// With `pool = …` the transaction is no parameter.
    has_pool: bool,
}

fn unit_attribute(attrs: &[Attribute]) -> Option<Unit> {
    let attr = attrs.iter().find(|attr| attr.path().segments.last().is_some_and(|last| last.ident == "atomic_unit"))?;
    let keys = match &attr.meta {
        Meta::List(list) => list.tokens.clone(),
        Meta::Path(_) | Meta::NameValue(_) => TokenStream::new(),
    };
    let mut starts = true;
    let has_pool = keys.into_iter().any(|token| {
        let is_key =
            std::mem::replace(&mut starts, matches!(&token, TokenTree::Punct(comma) if comma.as_char() == ','));
        is_key && matches!(&token, TokenTree::Ident(key) if key == "pool")
    });
    Some(Unit { has_pool })
}
