//! How a unit begins and how long an attempt may take: `isolation`, `read_only`, `begin`, `attempt_timeout`.

use std::time::Duration;

use proc_macro2::{Ident, Span, TokenStream};
use quote::quote;
use syn::LitStr;

use crate::duration;
use crate::error::{Errors, err};
use crate::options::{Entry, Options};
use crate::private::private;
use crate::suggest::unknown;

/// The words of `isolation = …` and what the runtime calls them.
const ISOLATION: [(&str, &str); 2] = [("repeatable_read", "RepeatableRead"), ("serializable", "Serializable")];
/// The words of `begin = …`.
const MODES: [(&str, &str); 3] = [("deferred", "Deferred"), ("immediate", "Immediate"), ("exclusive", "Exclusive")];

/// The keys, judged.
#[derive(Default)]
pub(crate) struct Begin {
    /// As written, and the runtime's name for it.
    isolation: Option<(Ident, &'static str)>,
    read_only: Option<Ident>,
    mode: Option<(Ident, &'static str)>,
    attempt_timeout: Option<Duration>,
}

impl Begin {
    pub(crate) fn parse(options: &mut Options, errors: &mut Errors) -> Self {
        let isolation =
            options.take("isolation").and_then(|entry| word(&entry, "an isolation level", &ISOLATION, errors));
        let mode = options.take("begin").and_then(|entry| word(&entry, "a way to begin", &MODES, errors));
        let read_only = options.take("read_only").and_then(|entry| errors.take(entry.flag().map(|()| entry.key)));
        let attempt_timeout = options.take("attempt_timeout").and_then(|entry| errors.take(timeout(&entry)));
        Self { isolation, read_only, mode, attempt_timeout }
    }

    /// A unit that only reads takes no write lock.
    pub(crate) fn check(&self, reads: Option<&Ident>, errors: &mut Errors) {
        let Some((mode, "Immediate" | "Exclusive")) = &self.mode else { return };
        if let Some(read) = self.read_only.as_ref().or(reads) {
            errors.push(err!(
                mode,
                "`begin = {mode}` takes the write lock, and `{read}` says that the unit only reads; remove `begin`"
            ));
        }
    }

    /// Fields of the runtime's `Settings`.
    pub(crate) fn settings(&self) -> TokenStream {
        let site = Span::mixed_site();
        let private = private(site);
        let isolation = self.isolation.as_ref().map(|(_, variant)| {
            let variant = Ident::new(variant, site);
            quote!(isolation: ::core::option::Option::Some(#private::Isolation::#variant),)
        });
        let read_only = self.read_only.is_some().then(|| quote!(read_only: true,));
        let mode = self.mode.as_ref().map(|(_, variant)| {
            let variant = Ident::new(variant, site);
            quote!(begin: ::core::option::Option::Some(#private::BeginMode::#variant),)
        });
        let timeout = self.attempt_timeout.map(|timeout| {
            let millis = u64::try_from(timeout.as_millis()).unwrap_or(u64::MAX);
            quote!(attempt_timeout: ::core::option::Option::Some(::core::time::Duration::from_millis(#millis)),)
        });
        quote!(#isolation #read_only #mode #timeout)
    }

    /// A word that is said of a transaction which is begun: a level, or `read_only`.
    pub(crate) fn of_transaction(&self) -> Option<&Ident> {
        self.isolation.as_ref().map(|(word, _)| word).or(self.read_only.as_ref())
    }

    /// The word of `begin = …`, which is SQLite's.
    pub(crate) fn mode(&self) -> Option<&Ident> {
        self.mode.as_ref().map(|(word, _)| word)
    }
}

fn word(
    entry: &Entry,
    what: &str,
    words: &[(&'static str, &'static str)],
    errors: &mut Errors,
) -> Option<(Ident, &'static str)> {
    let example = format!("{} = {}", entry.key, words[words.len() / 2].0);
    let given: Ident = errors.take(entry.value(what, &example))?;
    if let Some((_, variant)) = words.iter().find(|(word, _)| given == word) {
        return Some((given, variant));
    }
    let known: Vec<_> = words.iter().map(|(word, _)| *word).collect();
    errors.push(unknown(&given, what.trim_start_matches("an ").trim_start_matches("a "), &known));
    None
}

fn timeout(entry: &Entry) -> syn::Result<Duration> {
    let literal: LitStr = entry.value("a duration", "attempt_timeout = \"2s\"")?;
    let timeout = duration::parse(&literal)?;
    if timeout.is_zero() {
        return Err(err!(
            &literal,
            "`attempt_timeout` is zero, so no attempt could succeed; write for example `attempt_timeout = \"2s\"`"
        ));
    }
    Ok(timeout)
}
