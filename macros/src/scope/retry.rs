//! `retry = contention`: the name of a policy.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::Path;
use syn::parse::Parser;

use crate::error::{bail, err};
use crate::options::Entry;
use crate::private::private;

const EXAMPLE: &str = "retry = contention";

/// A policy, by name.
pub(crate) enum Retry {
    /// `never`, a word of the attributes.
    Never(Ident),
    /// `contention`, which means `crate::retry::contention`.
    Named(Ident),
    /// A longer path, taken as written.
    Path(Path),
}

impl Retry {
    pub(crate) fn parse(entry: &Entry) -> syn::Result<Self> {
        let tokens = entry.tokens(EXAMPLE)?;
        if let Ok(text) = syn::parse2::<syn::LitStr>(tokens.clone()) {
            bail!(
                &text,
                "`retry` takes the name of a policy, not a text; write `retry = {}`",
                text.value().escape_debug()
            );
        }
        let Ok(path) = Path::parse_mod_style.parse2(tokens.clone()) else {
            bail!(
                tokens,
                "`retry` takes the name of a policy, not an expression; declare the policy in `src/retry.rs` and name \
                 it here, for example `{EXAMPLE}`"
            );
        };
        Ok(match path.get_ident() {
            Some(name) if name == "never" => Self::Never(name.clone()),
            Some(name) => Self::Named(name.clone()),
            None => Self::Path(path),
        })
    }

    /// The last token of the name: where rustc points when a bound on the policy fails.
    pub(crate) fn span(&self) -> Span {
        match self {
            Self::Never(name) | Self::Named(name) => name.span(),
            Self::Path(path) => crate::types::last_span(path),
        }
    }

    /// The policy as a type.
    pub(crate) fn to_type(&self) -> TokenStream {
        let span = self.span();
        match self {
            Self::Never(_) => {
                let private = private(span);
                quote_spanned!(span=> #private::never)
            }
            Self::Named(name) => quote_spanned!(span=> crate::retry::#name),
            Self::Path(path) => quote!(#path),
        }
    }
}

/// On the function's name: the attribute itself has no token that a user could mend.
pub(crate) fn missing_retry(name: &Ident, a_scope: &str) -> syn::Error {
    err!(name, "{a_scope} says how it is retried; add `retry = contention`, the name of a policy, or `retry = never`")
}
