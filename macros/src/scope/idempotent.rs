//! `idempotent = read | set_state | client_id(param) | receipt(param)`: why a replay is harmless.

use proc_macro2::{Ident, TokenStream, TokenTree};
use syn::parse::{Parse, ParseStream};
use syn::{FnArg, Pat, PatIdent, Token, parenthesized};

use crate::error::{Errors, bail, err};
use crate::item_fn::ItemFn;
use crate::options::Entry;
use crate::suggest::unknown;
use crate::types::{self, Transaction};

const WORDS: [&str; 4] = ["read", "set_state", "client_id", "receipt"];

/// The answer to "what if it was applied already?".
pub(crate) enum Idempotent {
    /// The word `read`.
    Read(Ident),
    SetState,
    /// The parameter that carries an id made before the first attempt.
    ClientId(Ident),
    /// The word, and the parameter under which the runtime keeps a receipt.
    Receipt(Ident, Ident),
}

/// What the runtime is told: the variants of its own `Answer`.
#[derive(Clone, Copy)]
pub(crate) enum Answer {
    None,
    Read,
    Idempotent,
    FailInDoubt,
    Resolve,
}

impl Answer {
    pub(crate) fn variant(self) -> &'static str {
        match self {
            Self::None => "None",
            Self::Read => "Read",
            Self::Idempotent => "Idempotent",
            Self::FailInDoubt => "FailInDoubt",
            Self::Resolve => "Resolve",
        }
    }

    pub(crate) fn is_given(self) -> bool {
        !matches!(self, Self::None)
    }
}

impl From<&Idempotent> for Answer {
    fn from(idempotent: &Idempotent) -> Self {
        match idempotent {
            Idempotent::Read(_) => Self::Read,
            Idempotent::SetState | Idempotent::ClientId(_) | Idempotent::Receipt(..) => Self::Idempotent,
        }
    }
}

impl Idempotent {
    pub(crate) fn parse(entry: &Entry) -> syn::Result<Self> {
        let tokens = entry.tokens("idempotent = set_state")?;
        syn::parse2(tokens.clone())
    }

    /// The word `read`, if that is the answer.
    pub(crate) fn read(&self) -> Option<&Ident> {
        match self {
            Self::Read(word) => Some(word),
            Self::SetState | Self::ClientId(_) | Self::Receipt(..) => None,
        }
    }

    /// The word `receipt` and the key's parameter, if that is the answer.
    pub(crate) fn receipt(&self) -> Option<(&Ident, &Ident)> {
        match self {
            Self::Receipt(word, key) => Some((word, key)),
            Self::Read(_) | Self::SetState | Self::ClientId(_) => None,
        }
    }

    /// `client_id(x)` and `receipt(x)` must name a parameter, and not the transaction.
    pub(crate) fn check(&self, func: &ItemFn, errors: &mut Errors) {
        let (word, id, says) = match self {
            Self::ClientId(id) => ("client_id", id, "names the parameter whose id exists before the first attempt"),
            Self::Receipt(_, id) => ("receipt", id, "names the parameter under which the unit is applied once"),
            Self::Read(_) | Self::SetState => return,
        };
        let says = format!("`{word}` {says}, for example `{word}({})`", example(func));
        let Some(argument) = func.sig.inputs.iter().find_map(|input| names(input, id)) else {
            return errors.push(err!(id, "`{}` has no parameter `{id}`; {says}", func.name()));
        };
        if !matches!(types::transaction(&argument.ty), Transaction::None) {
            return errors.push(err!(id, "`{id}` is the transaction; {says}"));
        }
        let is_plain = matches!(&*argument.pat, Pat::Ident(PatIdent { by_ref: None, subpat: None, .. }));
        if matches!(self, Self::Receipt(..)) && !is_plain {
            errors.push(err!(
                id,
                "`{id}` is part of a pattern; the key of a receipt is a parameter of its own, `{id}: …`"
            ));
        }
    }
}

impl Parse for Idempotent {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let Ok(word) = input.parse::<Ident>() else {
            return Err(input.error(
                "`idempotent` takes `read`, `set_state`, `client_id(param)` or `receipt(param)`, for example \
                 `idempotent = set_state`",
            ));
        };
        let answer = match word.to_string().as_str() {
            "read" => Self::Read(word.clone()),
            "set_state" => Self::SetState,
            "client_id" => Self::ClientId(parameter(&word, input)?),
            "receipt" => Self::Receipt(word.clone(), parameter(&word, input)?),
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
        bail!(word, "`{word}` names a parameter, for example `{word}(order_id)`");
    }
    let list;
    parenthesized!(list in input);
    let Ok(name) = list.parse::<Ident>() else {
        bail!(word, "`{word}` names a parameter, for example `{word}(order_id)`");
    };
    let _: Option<Token![,]> = list.parse()?;
    if !list.is_empty() {
        return Err(list.error(format!("`{word}` names one parameter, for example `{word}(order_id)`")));
    }
    Ok(name)
}

/// A parameter that could hold the id, or a name for one.
fn example(func: &ItemFn) -> String {
    let plain = func.sig.inputs.iter().find_map(|input| match input {
        FnArg::Typed(argument) if matches!(types::transaction(&argument.ty), Transaction::None) => match &*argument.pat
        {
            Pat::Ident(name) => Some(name.ident.to_string()),
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
