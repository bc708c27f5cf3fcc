//! The keys of an attribute: `key`, `key = value`, `key(list)`, separated by commas.
//!
//! One parser for all attributes, so that an unknown, misplaced or repeated key reads the same everywhere. It
//! splits tokens and never stops at the first mistake.

use proc_macro2::{Delimiter, Group, Ident, TokenStream, TokenTree};
use quote::ToTokens;
use syn::parse::{Parse, Parser};

use crate::error::{Errors, bail, err};

/// What may be written, and what to say about the rest.
pub(crate) struct Keys {
    /// The owner as the user writes it, for example `#[job]`.
    pub(crate) owner: &'static str,
    pub(crate) known: &'static [&'static str],
    /// One complete entry, for the message about something that is none.
    pub(crate) example: &'static str,
    /// Keys that stand elsewhere or nowhere, each with a sentence of its own.
    pub(crate) explained: &'static [(&'static str, &'static str)],
}

/// What follows a key.
enum Value {
    Nothing,
    Is(TokenStream),
    List(Group),
}

/// One key with what follows it.
pub(crate) struct Entry {
    pub(crate) key: Ident,
    value: Value,
}

/// The entries whose keys are known, each once.
pub(crate) struct Options {
    entries: Vec<Entry>,
}

impl Options {
    pub(crate) fn parse(input: TokenStream, keys: &Keys, errors: &mut Errors) -> Self {
        let mut entries: Vec<Entry> = Vec::new();
        for chunk in split_commas(input, errors) {
            let Some(entry) = errors.take(Entry::new(chunk, keys)) else { continue };
            let name = entry.key.to_string();
            if let Some((_, sentence)) = keys.explained.iter().find(|(key, _)| *key == name) {
                errors.push(err!(&entry.key, "{sentence}"));
            } else if !keys.known.contains(&name.as_str()) {
                errors.push(unknown(&entry.key, "key", keys.known));
            } else if entries.iter().any(|known| known.key == entry.key) {
                errors.push(err!(&entry.key, "`{name}` is given twice; keep one of them"));
            } else {
                entries.push(entry);
            }
        }
        Self { entries }
    }

    pub(crate) fn take(&mut self, key: &str) -> Option<Entry> {
        let at = self.entries.iter().position(|entry| entry.key == key)?;
        Some(self.entries.swap_remove(at))
    }
}

impl Entry {
    fn new(chunk: Vec<TokenTree>, keys: &Keys) -> syn::Result<Self> {
        let mut tokens = chunk.into_iter();
        let key = match tokens.next() {
            Some(TokenTree::Ident(key)) => key,
            Some(other) => bail!(&other, "`{}` takes keys, for example `{}`", keys.owner, keys.example),
            None => {
                bail!(proc_macro2::Span::call_site(), "`{}` takes keys, for example `{}`", keys.owner, keys.example)
            }
        };
        let value = match tokens.next() {
            None => Value::Nothing,
            Some(TokenTree::Punct(sign)) if sign.as_char() == '=' => match tokens.collect::<TokenStream>() {
                nothing if nothing.is_empty() => bail!(&key, "`{key}` has no value after its `=`"),
                value => Value::Is(value),
            },
            Some(TokenTree::Group(list)) if list.delimiter() == Delimiter::Parenthesis => match tokens.next() {
                Some(extra) => bail!(&extra, "expected `,` after `{key}(…)`"),
                None => Value::List(list),
            },
            Some(other) => bail!(&other, "expected `=` or `,` after `{key}`, for example `{}`", keys.example),
        };
        Ok(Self { key, value })
    }

    /// The tokens after `=`.
    pub(crate) fn tokens(&self, example: &str) -> syn::Result<&TokenStream> {
        match &self.value {
            Value::Is(tokens) => Ok(tokens),
            Value::Nothing | Value::List(_) => {
                bail!(&self.key, "`{}` takes a value, for example `{example}`", self.key)
            }
        }
    }

    /// The value after `=`, parsed; any parse error becomes the one that shows the right form.
    pub(crate) fn value<T: Parse>(&self, what: &str, example: &str) -> syn::Result<T> {
        let tokens = self.tokens(example)?;
        syn::parse2(tokens.clone()).map_err(|_| err!(tokens, "`{}` takes {what}, for example `{example}`", self.key))
    }

    /// `Ok` if nothing follows the key.
    pub(crate) fn flag(&self) -> syn::Result<()> {
        match &self.value {
            Value::Nothing => Ok(()),
            Value::Is(value) => bail!(value, "`{0}` takes no value; write `{0}`, or leave it out", self.key),
            Value::List(list) => bail!(list, "`{0}` takes no list; write `{0}`, or leave it out", self.key),
        }
    }

    /// The words of `key(word, word)`; unknown ones are errors, at least one is due.
    pub(crate) fn words(&self, known: &[&str], errors: &mut Errors) -> Vec<Ident> {
        let example = format!("{}({})", self.key, known.first().unwrap_or(&""));
        let Value::List(list) = &self.value else {
            errors.push(err!(&self.key, "`{}` takes a list, for example `{example}`", self.key));
            return Vec::new();
        };
        let mut words = Vec::new();
        for chunk in split_commas(list.stream(), errors) {
            match chunk.as_slice() {
                [TokenTree::Ident(word)] if known.contains(&word.to_string().as_str()) => words.push(word.clone()),
                [TokenTree::Ident(word)] => errors.push(unknown(word, "word", known)),
                other => errors.push(err!(&joined(other), "`{}` takes words, for example `{example}`", self.key)),
            }
        }
        if list.stream().is_empty() {
            errors.push(err!(list, "`{}` is empty, for example `{example}`", self.key));
        }
        words
    }
}

/// The chunks between commas; an empty one (`a,, b`) is an error, a trailing comma is not.
pub(crate) fn split_commas(input: TokenStream, errors: &mut Errors) -> Vec<Vec<TokenTree>> {
    let mut chunks = Vec::new();
    let mut chunk = Vec::new();
    for token in input {
        match &token {
            TokenTree::Punct(comma) if comma.as_char() == ',' => {
                if chunk.is_empty() {
                    errors.push(err!(&token, "nothing stands before this `,`; remove it"));
                } else {
                    chunks.push(std::mem::take(&mut chunk));
                }
            }
            _ => chunk.push(token),
        }
    }
    if !chunk.is_empty() {
        chunks.push(chunk);
    }
    chunks
}

/// "unknown key `crn`, did you mean `cron`; expected one of …".
pub(crate) fn unknown(word: &Ident, what: &str, known: &[&str]) -> syn::Error {
    let name = word.to_string();
    let close = known.iter().find(|key| distance(&name, key) <= 2);
    let close = close.map(|key| format!(", did you mean `{key}`")).unwrap_or_default();
    let expected = one_of(known);
    err!(word, "unknown {what} `{name}`{close}; {expected}")
}

/// "expected one of `a`, `b`" or "expected `a`".
pub(crate) fn one_of(known: &[&str]) -> String {
    let list = known.iter().map(|key| format!("`{key}`")).collect::<Vec<_>>().join(", ");
    if known.len() == 1 { format!("expected {list}") } else { format!("expected one of {list}") }
}

/// Parses the whole of these tokens.
pub(crate) fn whole<T: Parse>(tokens: &[TokenTree]) -> syn::Result<T> {
    T::parse.parse2(joined(tokens))
}

pub(crate) fn joined(tokens: &[TokenTree]) -> TokenStream {
    tokens.iter().map(ToTokens::to_token_stream).collect()
}

/// Edits between two words (Levenshtein).
fn distance(a: &str, b: &str) -> usize {
    let mut row: Vec<usize> = (0..=b.chars().count()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut diagonal = i;
        row[0] = i + 1;
        for (j, y) in b.chars().enumerate() {
            let change = diagonal + usize::from(x != y);
            diagonal = row[j + 1];
            row[j + 1] = change.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row.last().copied().unwrap_or(0)
}
