//! What a repository may not do.

use proc_macro2::{Ident, TokenStream, TokenTree};
use quote::ToTokens;
use steadfast_lint::{Found, scan};
use syn::{FnArg, Meta};

use super::parse::Repository;
use crate::chunks::find;
use crate::error::{Errors, err};
use crate::item_fn::ItemFn;
use crate::types::{self, Transaction};

pub(crate) fn check(repository: &Repository, allow: &[Ident], errors: &mut Errors) {
    for function in &repository.functions {
        if check_attributes(function, errors) {
            check_arguments(function, errors);
            check_body(function, allow, errors);
        }
    }
    let mut functions = repository.functions.iter();
    // An async function without one has been reported.
    if !functions.any(|function| function.sig.asyncness.is_some() || runs_in_a_transaction(function)) {
        errors.push(err!(
            &repository.head,
            "nothing here takes a transaction, so nothing here is a repository; take `tx: &mut Tx<'_>` or `impl SqliteExecutor<'_>`, \
             or remove `#[repository]`"
        ));
    }
}

/// `false` for what does not belong here as a whole: the rest of it is right where it moves to.
fn check_attributes(function: &ItemFn, errors: &mut Errors) -> bool {
    let mut belongs = true;
    for attr in &function.attrs {
        let nested = match &attr.meta {
            // `#[cfg_attr(…, atomic_unit(…))]`
            Meta::List(list) if list.path.is_ident("cfg_attr") => list.tokens.clone(),
            meta => meta.path().to_token_stream(),
        };
        if let Some(word) = find(nested, &["atomic_unit", "provider_call"]) {
            belongs = false;
            errors.push(err!(
                &word,
                "a repository never retries, it cannot know whether it runs inside a transaction; move `#[{word}]` to the function \
                 that is replayed as a whole"
            ));
        }
    }
    belongs
}

fn check_arguments(function: &ItemFn, errors: &mut Errors) {
    let is_async = function.sig.asyncness.is_some();
    for input in &function.sig.inputs {
        if let FnArg::Typed(argument) = input
            && types::is_pool(&argument.ty)
        {
            errors.push(err!(
                &argument.ty,
                "a repository runs inside its caller's transaction, and a pool is outside of it; take `tx: &mut Tx<'_>`"
            ));
            return;
        }
    }
    if is_async && !runs_in_a_transaction(function) {
        errors.push(err!(
            &function.sig.ident,
            "`{}` takes no transaction; a repository's async functions take `tx: &mut Tx<'_>`, or `impl SqliteExecutor<'_>` for one statement",
            function.name()
        ));
    }
}

fn check_body(function: &ItemFn, allow: &[Ident], errors: &mut Errors) {
    let allowed = |word: &str| allow.iter().any(|allow| allow == word);
    for found in scan(function.body_tokens()) {
        match found {
            Found::Retry(word) if !allowed("retry") => errors.push(err!(
                &word,
                "a repository never retries, a statement retried inside of a failed transaction fails again; name the policy on the unit, or \
                 say `#[repository(allow(retry))]` where the word is your domain's own"
            )),
            Found::SleepInLoop(word) if !allowed("sleep") => errors.push(err!(
                &word,
                "a loop that sleeps is a retry by hand, inside of somebody's transaction; name a policy on the unit, or say \
                 `#[repository(allow(sleep))]` where it is none"
            )),
            Found::Ticker(word) | Found::Schedule(word) if !allowed("sleep") => errors.push(err!(
                &word,
                "`{word}` paces by hand, inside of somebody's transaction; put what recurs into a `#[poll(every = \"1s\", …)]` or a \
                 `#[job(…)]`, or say `#[repository(allow(sleep))]` where it paces nothing"
            )),
            Found::Begin(word) => errors.push(err!(
                &word,
                "`.{word}(…)` takes a connection of its own, and what it does commits by itself; use the transaction that the caller passes"
            )),
            Found::Policies(word) => errors.push(err!(&word, "policies live in `src/retry.rs`, the module `crate::retry`; move them there")),
            _ => {}
        }
    }
}

/// `&mut Tx<'_>`, or something that is an executor: `impl SqliteExecutor<'_>`, `E: Executor<'_>`; for sea-orm `&impl ConnectionTrait`
/// or `&Orm<'_>`.
fn runs_in_a_transaction(function: &ItemFn) -> bool {
    let sig = &function.sig;
    let takes_tx = sig.inputs.iter().any(|input| match input {
        FnArg::Typed(argument) => matches!(types::transaction(&argument.ty), Transaction::Mutable(_)),
        FnArg::Receiver(_) => false,
    });
    takes_tx || names_executor(sig.to_token_stream())
}

fn names_executor(tokens: TokenStream) -> bool {
    tokens.into_iter().any(|token| match token {
        TokenTree::Ident(word) => word == "ConnectionTrait" || word == "Orm" || word.to_string().ends_with("Executor"),
        TokenTree::Group(group) => names_executor(group.stream()),
        TokenTree::Punct(_) | TokenTree::Literal(_) => false,
    })
}
