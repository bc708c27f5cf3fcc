//! `#[classify(word)]`: the words as written.

use proc_macro2::{Ident, TokenStream};
use syn::parse::{Parse, ParseStream};
use syn::{Attribute, LitInt, Member, Meta, Path};

use crate::error::{Errors, bail, err};
use crate::options::{Entry, Keys, Options};

pub(crate) const WORDS: &[&str] = &["transparent", "domain", "rate_limited", "unavailable", "with", "retry_after"];

const KEYS: Keys = Keys {
    owner: "#[classify(…)]",
    known: WORDS,
    example: "transparent",
    explained: &[
        ("contention", "contention is what a database reports; mark the variant that holds its error `transparent`"),
        (
            "connection_lost",
            "a lost connection is what a driver reports; mark the variant that holds its error `transparent`",
        ),
        ("retryable", "a variant says what happened, and the policy decides; write for example `unavailable`"),
        ("skip", "a variant that is never retried is `domain`; write `#[classify(domain)]`"),
    ],
};

/// What a variant says it is.
pub(crate) enum Word {
    /// As the wrapped error says.
    Transparent,
    /// Never retried.
    Domain,
    RateLimited,
    Unavailable,
    /// As this function says: `fn(&E) -> Option<Failure>`.
    With(Path),
}

/// One `#[classify(…)]`.
pub(crate) struct Words {
    /// The word with the token to report it at.
    pub(crate) word: Option<(Ident, Word)>,
    /// `retry_after = field`, with its key.
    pub(crate) retry_after: Option<(Ident, Member)>,
}

/// A field by name or number, as a value.
struct FieldName(Member);

impl Parse for FieldName {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        if input.peek(LitInt) {
            input.parse().map(Member::Unnamed).map(Self)
        } else {
            input.parse().map(Member::Named).map(Self)
        }
    }
}

/// The attributes called `classify`, together; `None` without any.
pub(crate) fn words(attrs: &[Attribute], errors: &mut Errors) -> Option<Words> {
    let mut attrs = attrs.iter().filter(|attr| attr.path().is_ident("classify"));
    let first = attrs.next()?;
    for extra in attrs {
        errors.push(err!(extra, "`#[classify(…)]` is given twice; keep one of them"));
    }
    let tokens = match &first.meta {
        Meta::List(list) if !list.tokens.is_empty() => list.tokens.clone(),
        _ => {
            errors
                .push(err!(first, "`#[classify(…)]` says what the variant is, for example `#[classify(transparent)]`"));
            TokenStream::new()
        }
    };
    let mut options = Options::parse(tokens, &KEYS, errors);
    let retry_after = options.take("retry_after");
    let retry_after = retry_after.and_then(|entry| {
        let field = errors.take(entry.value::<FieldName>("a field of the variant", "retry_after = wait"))?;
        Some((entry.key, field.0))
    });
    let mut word: Option<(Ident, Word)> = None;
    for entry in WORDS.iter().filter_map(|word| options.take(word)) {
        let Some(new) = errors.take(one_word(&entry)) else { continue };
        match &word {
            Some((known, _)) => {
                errors.push(err!(&entry.key, "`{}` and `{known}` exclude each other; keep one of them", entry.key))
            }
            None => word = Some((entry.key, new)),
        }
    }
    Some(Words { word, retry_after })
}

fn one_word(entry: &Entry) -> syn::Result<Word> {
    if entry.key == "with" {
        return Ok(Word::With(entry.value("a function", "with = crate::failures::of_mailer")?));
    }
    entry.flag()?;
    Ok(match entry.key.to_string().as_str() {
        "transparent" => Word::Transparent,
        "rate_limited" => Word::RateLimited,
        "unavailable" => Word::Unavailable,
        "domain" => Word::Domain,
        other => bail!(&entry.key, "unknown word `{other}`"),
    })
}
