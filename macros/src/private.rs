//! The one place that knows what the runtime crate is called.

use proc_macro2::{Span, TokenStream};
use quote::quote_spanned;

/// `::steadfast`, every token with this span: rustc underlines a path from its first token.
pub(crate) fn runtime(span: Span) -> TokenStream {
    quote_spanned!(span=> ::steadfast)
}

/// `::steadfast::__private`, what only expansions name.
pub(crate) fn private(span: Span) -> TokenStream {
    let runtime = runtime(span);
    quote_spanned!(span=> #runtime::__private)
}
