//! A provider call that may be expanded.

use syn::FnArg;

use super::parse::Args;
use crate::error::{Errors, err};
use crate::item_fn::ItemFn;
use crate::options::Given;
use crate::scope::{self, Arguments, CALL, Idempotent, Retry};
use crate::types::{self, Transaction};

/// What `expand` needs.
pub(crate) struct Call {
    pub(crate) func: ItemFn,
    pub(crate) retry: Retry,
    pub(crate) idempotent: Option<Idempotent>,
    pub(crate) arguments: Arguments,
}

impl Call {
    pub(crate) fn new(args: Args, func: ItemFn, errors: &mut Errors) -> Option<Self> {
        scope::check_shape(&func, &CALL, errors);
        scope::check_body(&func, &args.allow, &CALL, errors);
        if matches!(args.retry, Given::Missing) {
            errors.push(scope::missing_retry(&func.sig.ident));
        }
        if let Some(answer) = &args.idempotent {
            answer.check(&func, errors);
            if let Some((word, _)) = answer.receipt() {
                errors.push(err!(
                    word,
                    "a receipt is a row in a unit's transaction, and a provider call has none; name the id that the provider \
                     knows the call by, for example `client_id(key)`"
                ));
            }
        }
        let arguments = arguments(&func, errors);
        Some(Self { func, retry: args.retry.value()?, idempotent: args.idempotent, arguments })
    }
}

fn arguments(func: &ItemFn, errors: &mut Errors) -> Arguments {
    let mut arguments = Arguments::new();
    for input in &func.sig.inputs {
        match input {
            FnArg::Receiver(_) => arguments.inputs.push(input.clone()),
            FnArg::Typed(argument) => match types::transaction(&argument.ty) {
                Transaction::None => arguments.push(argument.clone(), &CALL, errors),
                Transaction::Mutable(_) | Transaction::Unusable => errors.push(err!(
                    &argument.ty,
                    "a provider call has no transaction, a replay would run inside one that is lost; use \
                     `#[atomic_unit(…)]` for the statements and call the provider outside of it"
                )),
            },
        }
    }
    arguments
}
