//! `pub policy contention = capped(base = "50ms", cap = "200ms", retries = 3).on(contention);`

use proc_macro2::{Delimiter, Ident, TokenStream, TokenTree};
use syn::ext::IdentExt;
use syn::parse::{ParseStream, Parser};
use syn::{Attribute, LitInt, LitStr, Token, Visibility};

use crate::chunks::{joined, split_commas};
use crate::error::{Errors, bail, err};
use crate::form::Form;
use crate::options::{Given, Keys, Options};
use crate::suggest::unknown;

const FORM: &str = "pub policy contention = capped(base = \"50ms\", cap = \"200ms\", retries = 3).on(contention);";

const KEYS: Keys = Keys {
    owner: "capped(…)",
    known: &["base", "cap", "retries", "jitter"],
    example: "base = \"50ms\"",
    explained: &[
        ("attempts", "a policy counts retries, attempts are one more; write `retries = …`"),
        ("times", "the number of retries is written `retries = …`"),
        ("max", "the longest gap is written `cap = \"…\"`, the number of retries `retries = …`"),
        ("factor", "the gaps double up to the cap; leave `factor` out"),
    ],
};

/// One policy as written.
pub(crate) struct Item {
    pub(crate) attrs: Vec<Attribute>,
    pub(crate) vis: Visibility,
    pub(crate) name: Ident,
    pub(crate) base: Given<LitStr>,
    pub(crate) cap: Given<LitStr>,
    pub(crate) retries: Given<LitInt>,
    pub(crate) jitter: Option<Ident>,
    /// The words of `.on(…)`.
    pub(crate) on: Given<Vec<Ident>>,
    /// `.gate()`
    pub(crate) gate: Option<Ident>,
}

/// All policies that can be read, each up to its `;`.
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
    let raw = errors.take((|input: ParseStream<'_>| Raw::parse(input, form)).parse2(tokens))?;
    let Raw { attrs, vis, name, shape, chain, broken } = raw;
    let is_broken = broken.is_some();
    let mut item = match shape {
        Some(arguments) => {
            let mut options = Options::parse(arguments, &KEYS, errors);
            let base = options.given("base", errors, |entry| entry.value("a duration", "base = \"50ms\""));
            let cap = options.given("cap", errors, |entry| entry.value("a duration", "cap = \"200ms\""));
            let retries = options.given("retries", errors, |entry| entry.value("a number", "retries = 3"));
            let jitter = options.take("jitter").and_then(|entry| errors.take(entry.value("a word", "jitter = full")));
            Item { attrs, vis, name, base, cap, retries, jitter, on: Given::Missing, gate: None }
        }
        None => Item {
            attrs,
            vis,
            name,
            base: Given::Wrong,
            cap: Given::Wrong,
            retries: Given::Wrong,
            jitter: None,
            on: Given::Missing,
            gate: None,
        },
    };
    for (word, list) in chain {
        if word == "gate" {
            if !list.is_empty() {
                errors.push(err!(&list, "`.gate()` takes nothing; write `.gate()`"));
            } else if item.gate.is_some() {
                errors.push(err!(&word, "`.gate()` is given twice; keep one of them"));
            }
            item.gate = Some(word);
        } else if word != "on" {
            errors.push(unknown(&word, "word", &["on", "gate"]));
        } else if matches!(item.on, Given::Missing) {
            item.on = Given::Value(kinds(list, errors));
        } else {
            errors.push(err!(
                &word,
                "`.on(…)` is given twice; put all kinds into one, for example `.on(deadlock, connection_lost)`"
            ));
        }
    }
    if is_broken && matches!(item.on, Given::Missing) {
        item.on = Given::Wrong;
    }
    if let Some(error) = broken {
        errors.push(error);
    }
    Some(item)
}

fn kinds(list: TokenStream, errors: &mut Errors) -> Vec<Ident> {
    let mut kinds = Vec::new();
    for chunk in split_commas(list, errors) {
        match chunk.as_slice() {
            [TokenTree::Ident(kind)] => kinds.push(kind.clone()),
            other => {
                errors.push(err!(&joined(other), "`.on(…)` takes kinds of failures, for example `.on(contention)`"));
            }
        }
    }
    kinds
}

/// One policy whose lists are not looked into yet.
struct Raw {
    attrs: Vec<Attribute>,
    vis: Visibility,
    name: Ident,
    /// The arguments of `capped(…)`.
    shape: Option<TokenStream>,
    chain: Vec<(Ident, TokenStream)>,
    /// What is wrong behind the name: the policy exists all the same, for the attributes that name it.
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
        let mut raw = Self { attrs, vis, name, shape: None, chain: Vec::new(), broken: None };
        raw.broken = raw.rest(input, form).err();
        if raw.broken.is_some() {
            // Reported as one mistake, not as one for each token that follows.
            input.parse::<TokenStream>()?;
        }
        Ok(raw)
    }

    fn rest(&mut self, input: ParseStream<'_>, form: Form) -> syn::Result<()> {
        form.expect::<Token![=]>(input, "`=`")?;
        let shape: Ident = form.expect(input, "`capped(…)`")?;
        if shape != "capped" {
            return Err(unknown(&shape, "shape", &["capped"]));
        }
        self.shape = Some(form.within(input, Delimiter::Parenthesis, "`(…)` after `capped`")?);
        while input.parse::<Option<Token![.]>>()?.is_some() {
            let word: Ident = form.expect(input, "`on(…)`")?;
            let list = form.within(input, Delimiter::Parenthesis, &format!("`(…)` after `{word}`"))?;
            self.chain.push((word, list));
        }
        form.expect::<Token![;]>(input, "`.on(…)` or `;`")?;
        Ok(())
    }
}
