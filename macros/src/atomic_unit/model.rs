//! A unit that may be expanded; every refusal of `#[atomic_unit]` is here or in what it shares with `scope`.

use proc_macro2::{Ident, TokenStream, TokenTree};
use quote::ToTokens;
use syn::{Expr, FnArg, Pat, PatIdent, PatType, Type};

use super::begin::Begin;
use super::parse::{Args, InDoubt};
use crate::error::{Errors, err};
use crate::item_fn::ItemFn;
use crate::options::Given;
use crate::scope::{self, Answer, Arguments, Idempotent, Retry, UNIT};
use crate::types::{self, Transaction};

/// What `expand` needs.
pub(crate) struct Unit {
    pub(crate) func: ItemFn,
    /// `None` only beside an error.
    pub(crate) retry: Option<Retry>,
    pub(crate) pool: Option<Expr>,
    pub(crate) answer: Answer,
    /// The word `receipt`, and the parameter that is its key.
    pub(crate) receipt: Option<(Ident, Ident)>,
    /// The word of `in_doubt = resolve`.
    pub(crate) resolve: Option<Ident>,
    /// The parameter of `fence = …`.
    pub(crate) fence: Option<Ident>,
    pub(crate) begin: Begin,
    /// A word that is said of a transaction which is begun.
    pub(crate) of_transaction: Option<Ident>,
    pub(crate) arguments: Arguments,
    /// The user's name for the transaction.
    pub(crate) tx: PatIdent,
    /// The type behind its `&mut`.
    pub(crate) tx_type: Type,
    /// Where the transaction stands among the arguments: the pool takes its place.
    pub(crate) tx_at: usize,
}

impl Unit {
    /// `None` if the signature cannot be transformed; any other mistake is only an error.
    pub(crate) fn new(args: Args, func: ItemFn, errors: &mut Errors) -> Option<Self> {
        scope::check_shape(&func, &UNIT, errors);
        scope::check_body(&func, &args.allow, &UNIT, errors);
        check_executors(&func, errors);
        if let Some(pool) = &args.pool {
            check_pool(pool, &func, errors);
        }
        if matches!(args.retry, Given::Missing) {
            errors.push(scope::missing_retry(&func.sig.ident));
        }
        if let (Some((key, _)), Some((in_doubt, _))) = (&args.idempotent, &args.in_doubt) {
            errors.push(err!(
                in_doubt,
                "`in_doubt` and `{key}` answer the same question; keep `{key}` if a replay is harmless, else `in_doubt`"
            ));
        }
        let idempotent = args.idempotent.and_then(|(_, answer)| answer);
        if let Some(idempotent) = &idempotent {
            idempotent.check(&func, errors);
        }
        let (answer, resolve) = match (&idempotent, args.in_doubt) {
            (Some(idempotent), _) => (idempotent.into(), None),
            (None, Some((_, Some(InDoubt::Resolve(word))))) => (Answer::Resolve, Some(word)),
            (None, Some(_)) => (Answer::FailInDoubt, None),
            (None, None) => (Answer::None, None),
        };
        let receipt = idempotent.as_ref().and_then(Idempotent::receipt).map(|(word, key)| (word.clone(), key.clone()));
        match &args.fence {
            Given::Value(fence) => check_fence(fence, &func, errors),
            Given::Missing => check_unfenced(&func, errors),
            Given::Wrong => {}
        }
        let reads = idempotent.as_ref().and_then(Idempotent::read);
        args.begin.check(reads, errors);
        let of_transaction = args.begin.of_transaction().or(reads).cloned();
        let (arguments, transaction) = arguments(&func, errors);
        let (tx_at, tx, tx_type) = transaction?;
        let fits = func.sig.asyncness.is_some() && func.body.is_some() && scope::result_type(&func).is_some();
        fits.then(|| Self {
            func,
            retry: args.retry.value(),
            pool: args.pool,
            answer,
            receipt,
            resolve,
            fence: args.fence.value(),
            begin: args.begin,
            of_transaction,
            arguments,
            tx,
            tx_type,
            tx_at,
        })
    }
}

/// It names a parameter, taken by `&` under a name of its own.
fn check_fence(fence: &Ident, func: &ItemFn, errors: &mut Errors) {
    let named = func.sig.inputs.iter().find_map(|input| match input {
        FnArg::Typed(argument) => match &*argument.pat {
            Pat::Ident(PatIdent { ident, by_ref: None, subpat: None, .. }) if ident == fence => Some(&argument.ty),
            _ => None,
        },
        FnArg::Receiver(_) => None,
    });
    match named.map(|ty| types::peel(ty)) {
        None => errors.push(err!(
            fence,
            "`{}` has no parameter `{fence}`; `fence` names the lease of the job's run, for example `fence = lease` with \
             `lease: &Lease`",
            func.name()
        )),
        Some(Type::Reference(reference)) if reference.mutability.is_none() => {}
        Some(other) => errors.push(err!(
            other,
            "`fence` names the lease of the job's run, which is taken by reference; write `{fence}: &Lease`"
        )),
    }
}

/// Who takes the lease and does not fence believes to be fenced.
fn check_unfenced(func: &ItemFn, errors: &mut Errors) {
    for input in &func.sig.inputs {
        if let FnArg::Typed(argument) = input
            && let Type::Reference(reference) = types::peel(&argument.ty)
            && types::is_named(&reference.elem, "Lease")
        {
            let name = argument.pat.to_token_stream();
            errors.push(err!(
                &argument.ty,
                "the unit takes a lease and is not fenced by it; add `fence = {name}`, or remove the parameter"
            ));
        }
    }
}

/// The place of the pool is there in the body, too.
fn check_pool(pool: &Expr, func: &ItemFn, errors: &mut Errors) {
    let place: Vec<String> = pool.to_token_stream().into_iter().map(|token| token.to_string()).collect();
    // Of `&self.db` the place is `self.db`.
    let place = place.strip_prefix(&["&".to_owned()]).unwrap_or(&place);
    if let Some(found) = find(func.body_tokens(), place) {
        let shown = types::shown(&pool).replace(" . ", ".");
        errors.push(err!(
            &found,
            "`{shown}` is this unit's pool, and statements on it commit by themselves; run them on the transaction, for example \
             `.execute(&mut *tx)`"
        ));
    }
}

/// Where these tokens stand one behind the other: the last of them.
fn find(body: TokenStream, place: &[String]) -> Option<TokenTree> {
    let tokens: Vec<TokenTree> = body.into_iter().collect();
    let texts: Vec<String> = tokens.iter().map(ToString::to_string).collect();
    if let Some(at) = texts.windows(place.len().max(1)).position(|window| window == place) {
        return tokens.into_iter().nth(at + place.len() - 1);
    }
    tokens.into_iter().find_map(|token| match token {
        TokenTree::Group(group) => find(group.stream(), place),
        _ => None,
    })
}

/// An executor of the caller's could be a pool, whose statements commit by themselves.
fn check_executors(func: &ItemFn, errors: &mut Errors) {
    let sig = &func.sig;
    let inputs = sig.inputs.iter().filter_map(|input| match input {
        FnArg::Typed(argument) if matches!(types::transaction(&argument.ty), Transaction::None) => {
            Some(argument.ty.to_token_stream())
        }
        FnArg::Typed(_) | FnArg::Receiver(_) => None,
    });
    let bounds = [sig.generics.params.to_token_stream(), sig.generics.where_clause.to_token_stream()];
    for bound in inputs.chain(bounds).filter_map(types::executor) {
        errors.push(err!(
            &bound,
            "`{bound}` can be a pool, whose statements commit by themselves and again at each replay; run them on the \
             transaction, for example `&mut *tx`"
        ));
    }
}

type Found = Option<(usize, PatIdent, Type)>;

fn arguments(func: &ItemFn, errors: &mut Errors) -> (Arguments, Found) {
    let mut arguments = Arguments::new();
    let mut found: Found = None;
    let mut seen = false;
    for input in &func.sig.inputs {
        let argument = match input {
            FnArg::Typed(argument) => argument,
            FnArg::Receiver(_) => {
                arguments.inputs.push(input.clone());
                continue;
            }
        };
        match types::transaction(&argument.ty) {
            Transaction::None => arguments.push(argument.clone(), &UNIT, errors),
            Transaction::Unusable => {
                seen = true;
                errors.push(err!(
                    &argument.ty,
                    "a unit borrows its transaction from the runtime, which owns BEGIN and COMMIT; write `tx: &mut Tx<'_>`"
                ));
            }
            Transaction::Mutable(_) if seen => errors.push(err!(
                &argument.ty,
                "a unit has one transaction, and this is a second; split it into two units, or remove the parameter"
            )),
            Transaction::Mutable(ty) => {
                seen = true;
                let name = errors.take(plain_name(argument));
                found = name.map(|name| (arguments.inputs.len(), name, ty.clone()));
            }
        }
    }
    if !seen {
        errors.push(err!(
            &func.sig.ident,
            "an atomic unit takes its transaction, `tx: &mut Tx<'_>`, in whose place callers pass the pool; add the parameter, or annotate work without a \
             transaction as `#[provider_call(…)]`"
        ));
    }
    (arguments, found)
}

fn plain_name(argument: &PatType) -> syn::Result<PatIdent> {
    match &*argument.pat {
        Pat::Ident(name) if name.by_ref.is_none() && name.subpat.is_none() => Ok(name.clone()),
        other => Err(err!(
            other,
            "the transaction needs a plain name, not `{}`; write `tx: &mut Tx<'_>`",
            other.to_token_stream()
        )),
    }
}
