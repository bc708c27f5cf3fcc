//! The shape that a replayed function must have: async, `&self` at most, returns a `Result` that can be named.

use proc_macro2::{TokenStream, TokenTree};
use quote::ToTokens;
use syn::{FnArg, Receiver, ReceiverKind, ReturnType, Type};

use super::Words;
use crate::error::{Errors, err};
use crate::item_fn::ItemFn;
use crate::types;

/// Everything but the arguments.
pub(crate) fn check_shape(func: &ItemFn, words: &Words, errors: &mut Errors) {
    let Words { a_scope, a_short, .. } = words;
    if func.body.is_none() {
        errors.push(err!(
            &func.sig.ident,
            "{a_short} has a body; annotate the method of the `impl`, not its declaration"
        ));
    }
    if func.sig.asyncness.is_none() {
        errors.push(err!(
            &func.sig.fn_token,
            "{a_scope} is an `async fn`; write `async fn`, and under `#[async_trait]` put the work into a free function and \
             call it from the method"
        ));
        return;
    }
    if let Some(FnArg::Receiver(receiver)) = func.sig.inputs.first() {
        check_receiver(receiver, words, errors);
    }
    check_result(func, words, errors);
}

/// The declared return type, once `check_shape` has passed.
pub(crate) fn result_type(func: &ItemFn) -> Option<&Type> {
    match &func.sig.output {
        ReturnType::Type(_, ty) => Some(ty),
        ReturnType::Default => None,
    }
}

fn check_receiver(receiver: &Receiver, words: &Words, errors: &mut Errors) {
    let a_short = words.a_short;
    let fits = match &receiver.kind {
        ReceiverKind::Reference(_, _, None) => true,
        ReceiverKind::Typed(_, ty) => matches!(types::peel(ty), Type::Reference(by) if by.mutability.is_none()),
        ReceiverKind::Reference(_, _, Some(_)) => {
            return errors.push(err!(
                receiver,
                "{a_short} cannot take `&mut self`, a replay would see the first attempt's changes; take `&self`"
            ));
        }
        _ => false,
    };
    if !fits {
        errors.push(err!(receiver, "{a_short} cannot take `self` by value, a replay needs it again; take `&self`"));
    }
}

fn check_result(func: &ItemFn, words: &Words, errors: &mut Errors) {
    let Words { a_scope, a_short, result, .. } = words;
    let Some(ty) = result_type(func) else {
        return errors.push(err!(
            &func.sig.ident,
            "{a_scope} returns a `Result`, {result}; write for example `-> Result<(), BillingError>`"
        ));
    };
    if !types::may_be_result(ty) {
        errors
            .push(err!(ty, "{a_scope} returns a `Result`, {result}; write for example `-> Result<(), BillingError>`"));
    } else if contains_impl(ty.to_token_stream()) {
        errors.push(err!(
            ty,
            "`impl Trait` in the result of {a_short} has no name, and the result of an attempt needs one; name the type, for \
             example `Box<dyn Trait + Send>`"
        ));
    }
}

fn contains_impl(tokens: TokenStream) -> bool {
    tokens.into_iter().any(|token| match token {
        TokenTree::Ident(word) => word == "impl",
        TokenTree::Group(group) => contains_impl(group.stream()),
        TokenTree::Punct(_) | TokenTree::Literal(_) => false,
    })
}
