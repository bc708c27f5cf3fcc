//! The tokens that both expansions are made of.
//!
//! Locals are named at the mixed site: the user's body cannot see them and they cannot meet its names.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::Type;
use syn::spanned::Spanned;

use super::{Idempotent, Retry};
use crate::item_fn::ItemFn;
use crate::private::private;

/// The type that stands for the function in bounds, named like it so that messages say its name.
pub(crate) struct Marker<'a> {
    pub(crate) func: &'a ItemFn,
    pub(crate) retry: &'a Retry,
    /// Whether the attribute answers "what if it was applied already?".
    pub(crate) answered: bool,
    /// `AtomicUnit` or `ProviderCall`.
    pub(crate) role: &'a str,
    /// `unit_meta` or `call_meta`, where the policy meets the marker.
    pub(crate) check: &'a str,
    pub(crate) idempotent: Option<&'a Idempotent>,
}

impl Marker<'_> {
    /// `type __Policy = …;` and the value of the constant that the runtime is handed.
    pub(crate) fn items(&self, constant: &Ident, meta: &str) -> TokenStream {
        let site = Span::mixed_site();
        let private = private(site);
        let span = self.func.sig.ident.span();
        let marker = &self.func.sig.ident;
        let declaration = quote_spanned!(span=> #[allow(non_camel_case_types)] enum #marker {});
        let (role, meta) = (Ident::new(self.role, site), Ident::new(meta, site));
        let name = format!("::{}", self.func.name());
        let read_only = (self.role == "AtomicUnit").then(|| {
            let read = self.idempotent.is_some_and(Idempotent::is_read);
            quote_spanned!(site=> const READ_ONLY: bool = #read;)
        });
        let answered = self.answered.then(|| quote_spanned!(site=> impl #private::Answered for #marker {}));
        let policy = self.policy_alias();
        let check = self.check_call();
        quote_spanned! {site=>
            #policy
            const #constant: &#private::#meta = {
                #declaration
                impl #private::#role for #marker {
                    const NAME: &'static str = ::core::concat!(::core::module_path!(), #name);
                    #read_only
                }
                #answered
                #check
            };
        }
    }

    /// An alias beside the marker's block: within it, a function named like a module would shadow that module.
    fn policy_alias(&self) -> TokenStream {
        let policy = self.retry.to_type();
        let span = self.retry.span();
        quote_spanned!(span=> type __Policy = #policy;)
    }

    /// All at the policy's span: rustc points at the arguments of a failed bound, and that is the token to change.
    fn check_call(&self) -> TokenStream {
        let span = self.retry.span();
        let private = private(span);
        let check = Ident::new(self.check, span);
        let mut marker = self.func.sig.ident.clone();
        marker.set_span(marker.span().located_at(span));
        quote_spanned!(span=> #private::#check::<__Policy, #marker>())
    }
}

/// `unit::<<Result<…> as IsResult>::Err>`: the one place that bounds the user's error, on the return type.
pub(crate) fn error_type(result: &Type) -> TokenStream {
    let span = result.span();
    let private = private(span);
    quote_spanned!(span=> <#result as #private::IsResult>::Err)
}

/// `let mut __unit = unit::<E>(__UNIT)` and the refusal to run inside another scope.
pub(crate) fn nested_guard(local: &Ident, start: &str, constant: &Ident, result: &Type) -> TokenStream {
    let site = Span::mixed_site();
    let span = result.span();
    let error = error_type(result);
    let private = private(span);
    let start = Ident::new(start, span);
    let open = quote_spanned!(span=> #private::#start::<#error>);
    quote_spanned! {site=>
        let mut #local = #open(#constant);
        if let ::core::option::Option::Some(__nested) = #local.nested() {
            return ::core::result::Result::Err(__nested);
        }
    }
}

/// The user's body with its type written down, so that a mistake in it is reported at the user's own tokens.
pub(crate) fn annotated_body(func: &ItemFn, result: &Type) -> TokenStream {
    let body = &func.body;
    let annotation = quote_spanned! {Span::mixed_site()=>
        #[allow(unreachable_code, unused, clippy::all, clippy::pedantic)]
        if false {
            let __ret: #result = loop {};
            return __ret;
        }
    };
    quote!(#annotation #body)
}
