//! An error type each of whose variants says, or shows, what it is.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{Attribute, Field, Fields, Generics, Ident, Item, Member, Meta, Path, Type};

use super::parse::{self, Word, Words};
use crate::error::{Errors, err};

pub(crate) struct ErrorType {
    pub(crate) ident: Ident,
    pub(crate) generics: Generics,
    pub(crate) cases: Vec<Case>,
}

/// A variant, or the struct.
pub(crate) struct Case {
    pub(crate) cfgs: Vec<Attribute>,
    /// `Self::Variant` or `Self`.
    pub(crate) pattern: TokenStream,
    pub(crate) failure: Failure,
}

pub(crate) enum Failure {
    Domain,
    Transparent(Member, Type),
    With(Member, Path),
    /// The runtime's kind, and the field with the wait.
    Kind(&'static str, Option<(Member, Type)>),
}

impl ErrorType {
    pub(crate) fn new(item: Item, errors: &mut Errors) -> Option<Self> {
        let (ident, generics, cases) = match item {
            Item::Enum(item) => {
                if let Some(attr) = item.attrs.iter().find(|attr| attr.path().is_ident("classify")) {
                    errors.push(err!(
                        attr,
                        "`#[classify(…)]` stands on the variants of an enum; move it to the ones that it is about"
                    ));
                }
                let cases = item.variants.iter().map(|variant| {
                    let name = &variant.ident;
                    let source = Source { name, attrs: &variant.attrs, fields: &variant.fields };
                    source.case(quote!(Self::#name), errors)
                });
                (item.ident.clone(), item.generics.clone(), cases.collect())
            }
            Item::Struct(item) => {
                let source = Source { name: &item.ident, attrs: &item.attrs, fields: &item.fields };
                let case = source.case(quote!(Self), errors);
                (item.ident.clone(), item.generics.clone(), vec![case])
            }
            other => {
                return errors
                    .take(Err(err!(&other, "`Classify` is derived for an enum or a struct; make this one of them")));
            }
        };
        Some(Self { ident, generics, cases })
    }
}

/// Where a case comes from.
struct Source<'a> {
    name: &'a Ident,
    attrs: &'a [Attribute],
    fields: &'a Fields,
}

impl Source<'_> {
    fn case(&self, pattern: TokenStream, errors: &mut Errors) -> Case {
        for attr in self.fields.iter().flat_map(|field| &field.attrs).filter(|attr| attr.path().is_ident("classify")) {
            errors.push(err!(attr, "`#[classify(…)]` stands on the variant, not on its field; move it up"));
        }
        let words = parse::words(self.attrs, errors);
        if words.is_none() {
            self.check_wraps_nothing(errors);
        }
        let failure = words.and_then(|words| errors.take(self.failure(words))).unwrap_or(Failure::Domain);
        let cfgs = self.attrs.iter().filter(|attr| attr.path().is_ident("cfg")).cloned().collect();
        Case { cfgs, pattern, failure }
    }

    fn failure(&self, words: Words) -> syn::Result<Failure> {
        let Words { word, retry_after } = words;
        let (key, word) = match (word, &retry_after) {
            (Some(word), _) => word,
            (None, Some((key, _))) => {
                return Err(err!(
                    key,
                    "`retry_after` belongs to `rate_limited` or `unavailable`; write for example `rate_limited, retry_after = wait`"
                ));
            }
            // Reported where the words were read.
            (None, None) => return Ok(Failure::Domain),
        };
        let failure = match word {
            Word::RateLimited => Failure::Kind("RateLimited", self.wait(retry_after)?),
            Word::Unavailable => Failure::Kind("Unavailable", self.wait(retry_after)?),
            other => {
                if let Some((after, _)) = &retry_after {
                    return Err(err!(
                        after,
                        "`retry_after` belongs to `rate_limited` or `unavailable`, not to `{key}`; remove it"
                    ));
                }
                match other {
                    Word::Transparent => {
                        self.only_field(&key).map(|(member, field)| Failure::Transparent(member, field.ty.clone()))?
                    }
                    Word::With(path) => self.only_field(&key).map(|(member, _)| Failure::With(member, path))?,
                    _ => Failure::Domain,
                }
            }
        };
        Ok(failure)
    }

    fn wait(&self, retry_after: Option<(Ident, Member)>) -> syn::Result<Option<(Member, Type)>> {
        let Some((_, member)) = retry_after else { return Ok(None) };
        let mut fields = self.fields.members().zip(self.fields);
        if let Some((_, field)) = fields.find(|(known, _)| *known == member) {
            return Ok(Some((member, field.ty.clone())));
        }
        let shown = match &member {
            Member::Named(name) => name.to_string(),
            Member::Unnamed(index) => index.index.to_string(),
        };
        let fields = self.fields.members().map(|known| format!("`{}`", quote!(#known))).collect::<Vec<_>>().join(", ");
        let fields = if fields.is_empty() { "it has none".to_owned() } else { format!("it has {fields}") };
        Err(err!(&member, "`{}` has no field `{shown}`; {fields}", self.name))
    }

    /// The error that the variant wraps.
    fn only_field(&self, key: &Ident) -> syn::Result<(Member, &Field)> {
        match (self.fields.members().next(), self.fields.iter().next(), self.fields.len()) {
            (Some(member), Some(field), 1) => Ok((member, field)),
            (_, _, count) => Err(err!(
                key,
                "`{key}` asks the only field of `{}`, which has {count}; keep one field, or say `domain`, `rate_limited` or `unavailable`",
                self.name
            )),
        }
    }

    /// A wrapped error may be retryable, so silence would decide.
    fn check_wraps_nothing(&self, errors: &mut Errors) {
        let marked = |field: &&Field| {
            field.attrs.iter().any(|attr| attr.path().is_ident("from") || attr.path().is_ident("source"))
                || field.ident.as_ref().is_some_and(|ident| ident == "source")
        };
        let forwards = self.attrs.iter().any(|attr| match &attr.meta {
            Meta::List(list) => list.path.is_ident("error") && list.tokens.to_string() == "transparent",
            _ => false,
        });
        let wrapped = self.fields.iter().find(marked).or_else(|| self.fields.iter().next().filter(|_| forwards));
        if let Some(field) = wrapped {
            errors.push(err!(
                &field.ty,
                "`{}` wraps another error and does not say what it is; add `#[classify(transparent)]` to ask that error, \
                 `#[classify(with = path)]` for a type of another crate, or `#[classify(domain)]` if it is never retried",
                self.name
            ));
        }
    }
}
