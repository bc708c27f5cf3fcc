//! `idempotent = read | set_state | client_id(param)`: why a replay is harmless.

use proc_macro2::{Ident, TokenStream, TokenTree};
use syn::parse::{Parse, ParseStream};
use syn::{FnArg, Token, parenthesized};

use crate::error::{Errors, bail, err};
use crate::item_fn::ItemFn;
use crate::options::Entry;
use crate::suggest::unknown;
use crate::types::{self, Transaction};

const WORDS: [&str; 3] = ["read", "set_state", "client_id"];

/// The answer to "what if it was applied already?".
pub(crate) enum Idempotent {
    Read,
    SetState,
    /// The parameter that carries an id made before the first attempt.
    ClientId(Ident),
}

/// What the runtime is told: the variants of its own `Answer`.
#[derive(Clone, Copy)]
pub(crate) enum Answer {
    None,
    Read,
    Idempotent,
    FailInDoubt,
}

impl Answer {
    pub(crate) fn variant(self) -> &'static str {
        match self {
            Self::None => "None",
            Self::Read => "Read",
            Self::Idempotent => "Idempotent",
            Self::FailInDoubt => "FailInDoubt",
        }
    }

    pub(crate) fn is_given(self) -> bool {
        !matches!(self, Self::None)
    }
}

impl From<&Idempotent> for Answer {
    fn from(idempotent: &Idempotent) -> Self {
        match idempotent {
            Idempotent::Read => Self::Read,
            Idempotent::SetState | Idempotent::ClientId(_) => Self::Idempotent,
        }
    }
}

impl Idempotent {
    pub(crate) fn parse(entry: &Entry) -> syn::Result<Self> {
        let tokens = entry.tokens("idempotent = set_state")?;
        syn::parse2(tokens.clone())
    }

    /// `client_id(x)` must name a parameter, and not the transaction.
    pub(crate) fn check(&self, func: &ItemFn, errors: &mut Errors) {
        let Self::ClientId(id) = self else { return };
        let Some(argument) = func.sig.inputs.iter().find_map(|input| names(input, id)) else {
            return errors.push(err!(
                id,
                "`{}` has no parameter `{id}`; `client_id` names the parameter whose id exists before the first attempt, for \
                 example `client_id({})`",
                func.name(),
                example(func)
            ));
        };
        if !matches!(types::transaction(&argument.ty), Transaction::None) {
            errors.push(err!(
                id,
                "`{id}` is the transaction; `client_id` names the parameter whose id exists before the first attempt, for \
                 example `client_id({})`",
                example(func)
            ));
        }
    }
}

impl Parse for Idempotent {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let Ok(word) = input.parse::<Ident>() else {
            return Err(input.error(
                "`idempotent` takes `read`, `set_state` or `client_id(param)`, for example `idempotent = set_state`",
            ));
        };
        let answer = match word.to_string().as_str() {
            "read" => Self::Read,
            "set_state" => Self::SetState,
            "client_id" => Self::ClientId(parameter(&word, input)?),
            _ => return Err(unknown(&word, "answer", &WORDS)),
        };
        if !input.is_empty() {
            return Err(input.error(format!("unexpected after `{word}`; `idempotent` takes one answer")));
        }
        Ok(answer)
    }
}

fn parameter(word: &Ident, input: ParseStream<'_>) -> syn::Result<Ident> {
    if !input.peek(syn::token::Paren) {
        bail!(word, "`client_id` names a parameter, for example `client_id(order_id)`");
    }
    let list;
    parenthesized!(list in input);
    let Ok(name) = list.parse::<Ident>() else {
        bail!(word, "`client_id` names a parameter, for example `client_id(order_id)`");
    };
    let _: Option<Token![,]> = list.parse()?;
    if !list.is_empty() {
        return Err(list.error("`client_id` names one parameter, for example `client_id(order_id)`"));
    }
    Ok(name)
}

/// A parameter that could hold the id, or a name for one.
fn example(func: &ItemFn) -> String {
    let plain = func.sig.inputs.iter().find_map(|input| match input {
        FnArg::Typed(argument) if matches!(types::transaction(&argument.ty), Transaction::None) => match &*argument.pat
        {
            syn::Pat::Ident(name) => Some(name.ident.to_string()),
            _ => None,
        },
        _ => None,
    });
    plain.unwrap_or_else(|| "order_id".to_owned())
}

/// The argument if its pattern binds this name: `id`, `mut id`, `(id, _)`.
fn names<'a>(input: &'a FnArg, name: &Ident) -> Option<&'a syn::PatType> {
    let FnArg::Typed(argument) = input else { return None };
    binds(quote::ToTokens::to_token_stream(&argument.pat), name).then_some(argument)
}

fn binds(pattern: TokenStream, name: &Ident) -> bool {
    pattern.into_iter().any(|token| match token {
        TokenTree::Ident(ident) => ident == *name,
        TokenTree::Group(group) => binds(group.stream(), name),
        TokenTree::Punct(_) | TokenTree::Literal(_) => false,
    })
}
