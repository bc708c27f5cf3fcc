//! One item after the other, each up to its `;`:
//!
//! - `pub policy contention = capped(base = "50ms", cap = "200ms", retries = 3).on(contention);`
//! - `pub policy relay = durable(base = "1s", cap = "1h", attempts = 20);`

mod capped;
mod durable;

use proc_macro2::{Delimiter, Ident, TokenStream, TokenTree};
use syn::ext::IdentExt;
use syn::parse::{ParseStream, Parser};
use syn::{Attribute, LitStr, Token, Visibility};

use crate::chunks::joined;
use crate::error::{Errors, bail, err};
use crate::form::Form;
use crate::options::{Given, Options};
use crate::suggest::unknown;

pub(crate) use capped::{Capped, Share};
pub(crate) use durable::Durable;

const FORM: &str = "pub policy contention = capped(base = \"50ms\", cap = \"200ms\", retries = 3).on(contention);";

/// What every item begins with.
pub(crate) struct Head {
    pub(crate) attrs: Vec<Attribute>,
    pub(crate) vis: Visibility,
    pub(crate) name: Ident,
}

/// Whether the attribute says where the item is there at all.
pub(crate) fn is_cfg(attr: &Attribute) -> bool {
    attr.path().is_ident("cfg")
}

/// One item as written.
pub(crate) enum Item {
    Capped(Head, Capped),
    Durable(Head, Durable),
}

impl Item {
    pub(crate) fn head(&self) -> &Head {
        match self {
            Self::Capped(head, _) | Self::Durable(head, _) => head,
        }
    }
}

/// All items that can be read, each up to its `;`.
pub(crate) fn items(input: TokenStream, errors: &mut Errors) -> Vec<Item> {
    let mut items = Vec::new();
    let mut tokens = Vec::new();
    for token in input {
        let ends = matches!(&token, TokenTree::Punct(end) if end.as_char() == ';');
        tokens.push(token);
        if ends {
            items.extend(item(&std::mem::take(&mut tokens), errors));
        }
    }
    if !tokens.is_empty() {
        items.extend(item(&tokens, errors));
    }
    items
}

fn item(tokens: &[TokenTree], errors: &mut Errors) -> Option<Item> {
    let tokens = joined(tokens);
    let form = Form::new(FORM, &tokens);
    let Raw { head, rest, broken } = errors.take((|input: ParseStream<'_>| Raw::parse(input, form)).parse2(tokens))?;
    let is_broken = broken.is_some();
    let item = match rest {
        Some((Shape::Durable, arguments, chain)) => {
            Item::Durable(head, Durable::parse(arguments, &chain, is_broken, errors))
        }
        Some((Shape::Capped, arguments, chain)) => {
            Item::Capped(head, Capped::parse(arguments, chain, is_broken, errors))
        }
        // It exists all the same, for the attributes that name it.
        None => Item::Capped(head, Capped::WRONG),
    };
    if let Some(error) = broken {
        errors.push(error);
    }
    Some(item)
}

/// What stands behind the `=`.
#[derive(Clone, Copy)]
enum Shape {
    Capped,
    Durable,
}

/// The words behind the shape, with their lists: `.on(…)`.
type Chain = Vec<(Ident, TokenStream)>;

/// One item whose lists are not looked into yet.
struct Raw {
    head: Head,
    rest: Option<(Shape, TokenStream, Chain)>,
    /// What is wrong behind the name: the item exists all the same, for the attributes that name it.
    broken: Option<syn::Error>,
}

impl Raw {
    fn parse(input: ParseStream<'_>, form: Form) -> syn::Result<Self> {
        let attrs = input.call(Attribute::parse_outer)?;
        let vis = input.parse()?;
        let word = form.expect_with(input, "`policy`", Ident::parse_any)?;
        if word != "policy" {
            bail!(&word, "unknown item `{word}`; expected `policy`, written `{FORM}`");
        }
        let name = form.expect(input, "the name of the policy")?;
        let mut raw = Self { head: Head { attrs, vis, name }, rest: None, broken: None };
        raw.broken = raw.rest(input, form).err();
        if raw.broken.is_some() {
            // Reported as one mistake, not as one for each token that follows.
            input.parse::<TokenStream>()?;
        }
        Ok(raw)
    }

    fn rest(&mut self, input: ParseStream<'_>, form: Form) -> syn::Result<()> {
        form.expect::<Token![=]>(input, "`=`")?;
        let word: Ident = form.expect(input, "`capped(…)`")?;
        let shape = match word.to_string().as_str() {
            "capped" => Shape::Capped,
            "durable" => Shape::Durable,
            _ => return Err(unknown(&word, "shape", &["capped", "durable"])),
        };
        let arguments = form.within(input, Delimiter::Parenthesis, &format!("`(…)` after `{word}`"))?;
        let (_, _, chain) = self.rest.insert((shape, arguments, Vec::new()));
        while input.parse::<Option<Token![.]>>()?.is_some() {
            let word: Ident = form.expect(input, "`on(…)`")?;
            let list = form.within(input, Delimiter::Parenthesis, &format!("`(…)` after `{word}`"))?;
            chain.push((word, list));
        }
        form.expect::<Token![;]>(input, "`.on(…)` or `;`")?;
        Ok(())
    }
}

/// A duration that has to be there.
fn duration(options: &mut Options, key: &str, example: &str, errors: &mut Errors) -> Given<LitStr> {
    options.given(key, errors, |entry| entry.value("a duration", example))
}

/// Keeps the first of two, and says that there are two.
fn once<T>(place: &mut Option<T>, word: &Ident, value: T, errors: &mut Errors) {
    if place.is_some() {
        errors.push(err!(word, "`{word}` is given twice; keep one of them"));
    } else {
        *place = Some(value);
    }
}
