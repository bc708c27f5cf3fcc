//! The keys of an attribute: `key`, `key = value`, `key(list)`, separated by commas.
//!
//! One parser for all attributes, so that an unknown, misplaced or repeated key reads the same everywhere. It
//! splits tokens and never stops at the first mistake.

use proc_macro2::{Delimiter, Group, Ident, TokenStream, TokenTree};
use syn::parse::Parse;

use crate::chunks::{joined, split_commas};
use crate::editor::Written;
use crate::error::{Errors, bail, err};
use crate::literal;
use crate::private;
use crate::suggest::{closest, unknown};

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

/// What became of a key that has to be there.
pub(crate) enum Given<T> {
    Value(T),
    Missing,
    /// It is there, and what is wrong with it is reported already.
    Wrong,
}

impl<T> Given<T> {
    pub(crate) fn value(self) -> Option<T> {
        match self {
            Self::Value(value) => Some(value),
            Self::Missing | Self::Wrong => None,
        }
    }
}

/// The entries whose keys are known, each once.
pub(crate) struct Options {
    entries: Vec<Entry>,
    /// All keys, also unknown and repeated ones.
    written: Vec<Ident>,
    /// Known keys that something unreadable or unknown was probably meant to be: they are not missing as well.
    meant: Vec<&'static str>,
}

impl Options {
    pub(crate) fn parse(input: TokenStream, keys: &Keys, errors: &mut Errors) -> Self {
        let mut entries: Vec<Entry> = Vec::new();
        let (mut written, mut meant) = (Vec::new(), Vec::new());
        for chunk in split_commas(input, errors) {
            let start = chunk.first().map(ToString::to_string).unwrap_or_default();
            let Some(entry) = errors.take(Entry::new(chunk, keys)) else {
                // A bare value may be that of any key.
                let is_key = keys.known.contains(&start.as_str());
                meant.extend(keys.known.iter().filter(|key| !is_key || **key == start));
                continue;
            };
            let name = entry.key.to_string();
            written.push(entry.key.clone());
            if let Some((_, sentence)) = keys.explained.iter().find(|(key, _)| *key == name) {
                errors.push(err!(&entry.key, "{sentence}"));
                // "write `cron = …`" is said already.
                meant.extend(keys.known.iter().filter(|key| sentence.contains(&format!("`{key} = "))));
            } else if !keys.known.contains(&name.as_str()) {
                errors.push(unknown(&entry.key, "key", keys.known));
                meant.extend(closest(&name, keys.known));
            } else if entries.iter().any(|known| known.key == entry.key) {
                errors.push(err!(&entry.key, "`{name}` is given twice; keep one of them"));
            } else {
                entries.push(entry);
            }
        }
        Self { entries, written, meant }
    }

    /// What an editor is given; `of` is the struct that documents these keys.
    pub(crate) fn written(&self, of: &'static str) -> Written {
        Written::new(of, self.written.clone())
    }

    /// The path of `crate = …`.
    pub(crate) fn runtime(&mut self, errors: &mut Errors) -> Option<syn::Path> {
        let entry = self.take(private::CRATE)?;
        errors.take(entry.tokens(private::EXAMPLE).and_then(private::path))
    }

    pub(crate) fn take(&mut self, key: &str) -> Option<Entry> {
        let at = self.entries.iter().position(|entry| entry.key == key)?;
        Some(self.entries.swap_remove(at))
    }

    /// Reads a key that has to be there; its absence is the caller's to report.
    pub(crate) fn given<T>(
        &mut self,
        key: &str,
        errors: &mut Errors,
        parse: impl FnOnce(&Entry) -> syn::Result<T>,
    ) -> Given<T> {
        match self.take(key).map(|entry| errors.take(parse(&entry))) {
            Some(Some(value)) => Given::Value(value),
            Some(None) => Given::Wrong,
            None if self.meant.contains(&key) => Given::Wrong,
            None => Given::Missing,
        }
    }
}

impl Entry {
    fn new(chunk: Vec<TokenTree>, keys: &Keys) -> syn::Result<Self> {
        let of = match chunk.first() {
            Some(TokenTree::Ident(key)) => key.to_string(),
            _ => keys.owner.to_owned(),
        };
        literal::bounded(&joined(&chunk), &format!("`{of}`"))?;
        let mut tokens = chunk.into_iter();
        let key = match tokens.next() {
            Some(TokenTree::Ident(key)) => key,
            other => bail!(&other, "`{}` takes keys, for example `{}`", keys.owner, keys.example),
        };
        let value = match tokens.next() {
            None => Value::Nothing,
            Some(TokenTree::Punct(sign)) if sign.as_char() == '=' => Value::Is(tokens.collect()),
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
            Value::Is(tokens) if !tokens.is_empty() => Ok(tokens),
            Value::Is(_) | Value::Nothing | Value::List(_) => {
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
            Value::Is(value) if value.is_empty() => {
                bail!(&self.key, "`{0}` takes no value; write `{0}` without `=`", self.key)
            }
            Value::Is(value) => bail!(value, "`{0}` takes no value; write `{0}`, or leave it out", self.key),
            Value::List(list) => bail!(list, "`{0}` takes no list; write `{0}`, or leave it out", self.key),
        }
    }

    /// The words of `key(word, word)`; unknown ones are errors, at least one is due.
    pub(crate) fn words(&self, known: &[&'static str], errors: &mut Errors) -> Vec<Ident> {
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
