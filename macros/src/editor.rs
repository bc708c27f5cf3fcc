//! What an editor is given: the keys of an invocation as fields of a struct of the runtime, whose documentation it shows at a key,
//! and whose fields it offers where one is being typed.

use proc_macro2::{Delimiter, Group, Ident, Span, TokenStream, TokenTree};
use quote::{quote, quote_spanned};

use crate::private::private;

/// The keys as written, the unknown and half-typed ones too.
#[derive(Clone)]
pub(crate) struct Written {
    /// The struct in `__private::keys`.
    of: &'static str,
    keys: Vec<Ident>,
}

impl Written {
    pub(crate) fn new(of: &'static str, keys: Vec<Ident>) -> Self {
        // A keyword is no field's name.
        let is_field = |key: &Ident| syn::parse2::<Ident>(quote!(#key)).is_ok();
        Self { of, keys: keys.into_iter().filter(is_field).collect() }
    }

    /// [`item`](Self::item) where a key may be unknown or stand there twice, which rustc would tell a second time.
    pub(crate) fn beside_errors(&self) -> TokenStream {
        let literal = self.item();
        quote_spanned! {Span::mixed_site()=>
            #[allow(unexpected_cfgs)]
            const _: () = {
                #[cfg(rust_analyzer)]
                #literal
            };
        }
    }

    /// Puts [`beside_errors`](Self::beside_errors) at the beginning of a function's body, where it may stand whatever the function is;
    /// an item without a body stays as it is.
    pub(crate) fn within(&self, item: TokenStream) -> TokenStream {
        let mut tokens: Vec<TokenTree> = item.into_iter().collect();
        if let Some(TokenTree::Group(body)) = tokens.last()
            && body.delimiter() == Delimiter::Brace
        {
            let mut group = Group::new(Delimiter::Brace, after_inner_attributes(body.stream(), self.beside_errors()));
            group.set_span(body.span());
            let last = tokens.len() - 1;
            tokens[last] = group.into();
        }
        tokens.into_iter().collect()
    }

    /// An item, beside an expansion without errors: each key is known and stands there once.
    pub(crate) fn item(&self) -> TokenStream {
        let site = Span::mixed_site();
        let (private, of) = (private(site), Ident::new(self.of, site));
        let keys = &self.keys;
        quote_spanned! {site=>
            #[allow(clippy::needless_update)] // all of them may be given
            const _: #private::keys::#of = #private::keys::#of { #(#keys: (),)* ..#private::keys::#of::ALL };
        }
    }
}

/// `#![…]` stay the first in a body.
fn after_inner_attributes(body: TokenStream, new: TokenStream) -> TokenStream {
    let tokens: Vec<TokenTree> = body.into_iter().collect();
    let sign = |at: usize, sign| matches!(tokens.get(at), Some(TokenTree::Punct(punct)) if punct.as_char() == sign);
    let mut at = 0;
    while sign(at, '#') && sign(at + 1, '!') && matches!(tokens.get(at + 2), Some(TokenTree::Group(_))) {
        at += 3;
    }
    let (inner, rest) = tokens.split_at(at);
    inner.iter().cloned().chain(new).chain(rest.iter().cloned()).collect()
}
