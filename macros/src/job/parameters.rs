//! What a job takes: its slot, then what the application provides, by reference. A poll takes the same without a slot.

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

/// What takes the parameters.
#[derive(Clone, Copy)]
enum Owner {
    Job { has_slot: bool },
    Poll,
}

impl Owner {
    fn name(self) -> &'static str {
        match self {
            Self::Job { .. } => "job",
            Self::Poll => "poll",
        }
    }
}

/// The parameters of a poll.
pub(crate) fn of_poll(func: &ItemFn, errors: &mut Errors) -> Vec<Parameter> {
    let unit = unit_attribute(&func.attrs);
    let typed = func.sig.inputs.iter().filter_map(|input| match input {
        FnArg::Typed(argument) => Some(argument),
        FnArg::Receiver(_) => None,
    });
    typed.filter_map(|argument| errors.take(parameter(argument, unit.as_ref(), Owner::Poll)).flatten()).collect()
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
            parameters.extend(errors.take(parameter(argument, unit.as_ref(), Owner::Job { has_slot })).flatten());
        }
    }
    parameters
}

fn parameter(argument: &PatType, unit: Option<&Unit>, owner: Owner) -> syn::Result<Option<Parameter>> {
    let (ty, name) = (&argument.ty, owner.name());
    if let Some(condition) = argument.attrs.iter().find(|attr| attr.path().is_ident("cfg")) {
        // A bound cannot stand under a condition.
        return Err(err!(
            condition,
            "what a {name} takes is checked against the application, with or without a condition; put it on the {name}, for example \
             `#[cfg(…)] #[{name}(…)]`"
        ));
    }
    match (types::transaction(ty), unit) {
        (Transaction::Mutable(_), Some(Unit { has_pool: true })) => return Ok(None),
        (Transaction::Mutable(ty), Some(_)) => return Ok(Some(Parameter::Transaction(ty.clone()))),
        (Transaction::Mutable(_) | Transaction::Unusable, _) => {
            return Err(err!(
                ty,
                "a {name} has no transaction of its own; add `#[atomic_unit(…)]` to it, or take the pool and call a unit"
            ));
        }
        (Transaction::None, _) => {}
    }
    if let Owner::Poll = owner {
        refuse_in_poll(ty)?;
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
            Err(err!(ty, "a {name} shares what it takes with other runs; take it by `&`, not by `&mut`"))
        }
        // Behind another first parameter it only stands in the wrong place, which is reported there.
        other if types::is_named(other, "Slot") && matches!(owner, Owner::Job { has_slot: false }) => Ok(None),
        other if types::is_named(other, "Slot") => {
            Err(err!(ty, "a job has one slot, its first parameter; remove this one"))
        }
        other => {
            Err(err!(ty, "a {name} takes what the application provides by reference; write `&{}`", types::shown(other)))
        }
    }
}

/// What only a job has.
fn refuse_in_poll(ty: &Type) -> syn::Result<()> {
    let lent = match types::peel(ty) {
        Type::Reference(TypeReference { elem, .. }) => elem,
        other => other,
    };
    if types::is_named(lent, "Slot") {
        return Err(err!(
            ty,
            "a poll has no slot, it runs again once it has ended; remove the parameter, or write a job, for example `#[job(cron = \
             \"*/5 * * * *\", timeout = \"5m\")]`"
        ));
    }
    if types::is_named(lent, "Lease") {
        return Err(err!(
            ty,
            "a poll holds no lease, every process runs it; remove the parameter, or write an exclusive job, for example `#[job(cron = \
             \"* * * * *\", exclusive, timeout = \"30s\", overlap = skip)]`"
        ));
    }
    Ok(())
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
