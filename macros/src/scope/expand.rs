//! The tokens that both expansions are made of.
//!
//! Locals are named at the mixed site: the user's body cannot see them and they cannot meet its names.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::Type;
use syn::spanned::Spanned;

use super::{Answer, Retry};
use crate::item_fn::ItemFn;
use crate::private::private;
use crate::types;

/// The type that stands for the function in bounds, named like it so that messages say its name.
pub(crate) struct Marker<'a> {
    pub(crate) func: &'a ItemFn,
    pub(crate) retry: &'a Retry,
    pub(crate) answer: Answer,
    /// More fields of `Settings`, each with its comma.
    pub(crate) settings: TokenStream,
    /// `unit_declaration` or `call_declaration`, where the policy meets the marker.
    pub(crate) check: &'a str,
}

impl Marker<'_> {
    /// `type __Policy = …;` and the constant that the runtime is handed.
    pub(crate) fn items(&self, constant: &Ident) -> TokenStream {
        let site = Span::mixed_site();
        let private = private(site);
        let span = self.func.sig.ident.span();
        let marker = &self.func.sig.ident;
        let declaration = quote_spanned!(span=> #[allow(non_camel_case_types)] enum #marker {});
        let name = format!("::{}", self.func.name());
        let answer = Ident::new(self.answer.variant(), site);
        let answered = self.answer.is_given().then(|| quote_spanned!(site=> impl #private::Answered for #marker {}));
        let settings = &self.settings;
        let policy = self.policy_alias();
        let check = self.check_call();
        quote_spanned! {site=>
            #policy
            const #constant: &#private::Declaration = {
                #declaration
                impl #private::Declared for #marker {
                    // Where every field is given.
                    #[allow(clippy::needless_update)]
                    const KNOWN: #private::Known = #private::Known {
                        name: ::core::concat!(::core::module_path!(), #name),
                        settings: #private::Settings {
                            answer: #private::Answer::#answer,
                            #settings
                            ..#private::Settings::NONE
                        },
                    };
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
        // `crate::` is what makes the meaning of the name independent of imports, also where a shorter path would do.
        quote_spanned!(span=> #[allow(unused_qualifications, clippy::absolute_paths)] type __Policy = #policy;)
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

/// `unit::<<Result<…> as IsResult>::Err>`, to be called: the one place that bounds the user's error, told at its type.
pub(crate) fn start(function: &str, result: &Type) -> TokenStream {
    let span = types::error_span(result);
    let private = private(span);
    let function = Ident::new(function, span);
    quote_spanned!(span=> #private::#function::<<#result as #private::IsResult>::Err>)
}

/// `<Result<…> as IsResult>`, at the return type: what is no `Result` is told there, and once.
fn as_result(result: &Type) -> TokenStream {
    let span = result.span();
    let private = private(span);
    quote_spanned!(span=> <#result as #private::IsResult>)
}

/// A local at the return type, since rustc tells a bound at the argument of the call. No body of a user's is in its scope.
pub(crate) fn local_at(name: &str, result: &Type) -> Ident {
    Ident::new(name, result.span())
}

/// What the body returned, as a `Result`.
pub(crate) fn taken(result: &Type, local: &Ident) -> TokenStream {
    let take = take(result);
    quote_spanned!(result.span()=> #take(#local))
}

/// The function that does so: a closure would be one more body to compile in each unit.
pub(crate) fn take(result: &Type) -> TokenStream {
    let as_result = as_result(result);
    quote_spanned!(result.span()=> #as_result::into_result)
}

/// A `Result`, as the function returns it.
pub(crate) fn given(result: &Type, local: &Ident) -> TokenStream {
    let as_result = as_result(result);
    quote_spanned!(result.span()=> #as_result::from_result(#local))
}

/// Refuses to run inside another scope, which would replay what this one has committed.
pub(crate) fn refuse_nested(nested: &TokenStream, result: &Type) -> TokenStream {
    let refused = local_at("__refused", result);
    let given = given(result, &refused);
    quote_spanned! {Span::mixed_site()=>
        if let ::core::option::Option::Some(__nested) = #nested {
            let #refused = ::core::result::Result::Err(__nested);
            return #given;
        }
    }
}

/// The user's body with its type written down, so that a mistake in it is reported at the user's own tokens.
pub(crate) fn annotated_body(func: &ItemFn, result: &Type) -> TokenStream {
    let body = &func.body;
    let given = quote_spanned!(result.span()=> let __ret: #result = loop {}; return __ret;);
    let annotation = quote_spanned! {Span::mixed_site()=>
        #[allow(unreachable_code, unused, clippy::all, clippy::pedantic, clippy::nursery, clippy::restriction)]
        if false { #given }
    };
    quote!(#annotation #body)
}
