//! Parsing of what is written in one fixed form: an error says what is expected next and shows the whole.

use proc_macro2::{Delimiter, Group, Span, TokenStream};
use syn::parse::{Parse, ParseStream};

use crate::error::err;
use crate::types::last_span;

/// The form, and where an input ends that is too short: syn would point at the whole macro there.
#[derive(Clone, Copy)]
pub(crate) struct Form {
    text: &'static str,
    end: Span,
}

impl Form {
    pub(crate) fn new(text: &'static str, input: &TokenStream) -> Self {
        Self { text, end: last_span(input) }
    }

    /// Parses the next part, or says what it should be.
    pub(crate) fn expect<T: Parse>(self, input: ParseStream<'_>, what: &str) -> syn::Result<T> {
        self.expect_with(input, what, T::parse)
    }

    pub(crate) fn expect_with<T>(
        self,
        input: ParseStream<'_>,
        what: &str,
        parse: impl FnOnce(ParseStream<'_>) -> syn::Result<T>,
    ) -> syn::Result<T> {
        let start = if input.is_empty() { self.end } else { input.span() };
        parse(input).map_err(|_| err!(start, "expected {what}, written `{}`", self.text))
    }

    /// The tokens within the next parentheses or brackets.
    pub(crate) fn within(self, input: ParseStream<'_>, delimiter: Delimiter, what: &str) -> syn::Result<TokenStream> {
        self.expect_with(input, what, |input| match input.parse::<Group>()? {
            group if group.delimiter() == delimiter => Ok(group.stream()),
            group => Err(syn::Error::new(group.span(), what)),
        })
    }
}
