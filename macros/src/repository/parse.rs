//! An `impl` block or a function, read as far as its signatures.

use proc_macro2::{Delimiter, Ident, TokenStream, TokenTree};
use syn::ext::IdentExt;
use syn::parse::discouraged::Speculative;
use syn::parse::{Parse, ParseStream};
use syn::{Attribute, Visibility};

use crate::error::{Errors, err};
use crate::item_fn::ItemFn;
use crate::options::{Keys, Options};

const KEYS: Keys = Keys {
    owner: "#[repository]",
    known: &["allow", "crate"],
    example: "allow(retry)",
    explained: &[(
        "retry",
        "a repository never retries, it cannot know whether it runs inside a transaction; name the policy on the unit",
    )],
};

/// The words of `allow(…)`.
pub(crate) fn allow(args: TokenStream, errors: &mut Errors) -> Vec<Ident> {
    let mut options = Options::parse(args, &KEYS, errors);
    // A check names nothing of the runtime; where all macros have the key, this one takes it.
    options.runtime(errors);
    options.take("allow").map(|entry| entry.words(&["retry", "sleep"], errors)).unwrap_or_default()
}

pub(crate) struct Repository {
    /// The word to point at when the whole is meant: `impl`, `trait` or the function's name.
    pub(crate) head: Ident,
    pub(crate) functions: Vec<ItemFn>,
}

impl Parse for Repository {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let ahead = input.fork();
        if let Ok(function) = ahead.parse::<ItemFn>() {
            input.advance_to(&ahead);
            return Ok(Self { head: function.sig.ident.clone(), functions: vec![function] });
        }
        input.call(Attribute::parse_outer)?;
        input.parse::<Visibility>()?;
        let start = input.span();
        let mut head: Option<Ident> = None;
        while let Ok(word) = input.call(Ident::parse_any) {
            if word == "impl" || word == "trait" {
                head = Some(word);
                break;
            }
        }
        let rest: TokenStream = input.parse()?;
        let Some(head) = head else {
            return Err(err!(start, "`#[repository]` stands on an `impl` block or a function; move it there"));
        };
        let body = rest.into_iter().last();
        let functions = match body {
            Some(TokenTree::Group(body)) if body.delimiter() == Delimiter::Brace => {
                syn::parse2::<Functions>(body.stream())?.0
            }
            _ => Vec::new(),
        };
        Ok(Self { head, functions })
    }
}

/// The functions of a block; its other items are skipped.
struct Functions(Vec<ItemFn>);

impl Parse for Functions {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let mut functions = Vec::new();
        while !input.is_empty() {
            let ahead = input.fork();
            if let Ok(function) = ahead.parse::<ItemFn>() {
                input.advance_to(&ahead);
                functions.push(function);
            } else {
                skip_item(input)?;
            }
        }
        Ok(Self(functions))
    }
}

/// Past the `;` or the braces that end the item.
fn skip_item(input: ParseStream<'_>) -> syn::Result<()> {
    while !input.is_empty() {
        match input.parse::<TokenTree>()? {
            TokenTree::Punct(end) if end.as_char() == ';' => break,
            TokenTree::Group(group) if group.delimiter() == Delimiter::Brace => break,
            _ => {}
        }
    }
    Ok(())
}
