//! The loop around the body of a provider call.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::Signature;

use super::model::Call;
use crate::private::private;
use crate::scope::{self, Answer, Marker};

pub(crate) fn call(call: &Call, keys: &TokenStream) -> TokenStream {
    let Some(result) = scope::result_type(&call.func) else { return TokenStream::new() };
    let site = Span::mixed_site();
    let (local, constant) = (Ident::new("__call", site), Ident::new("__CALL", site));
    let answer = call.idempotent.as_ref().map_or(Answer::None, Answer::from);
    let marker = Marker {
        func: &call.func,
        retry: &call.retry,
        answer,
        settings: TokenStream::new(),
        check: "call_declaration",
    };
    let items = marker.items(&constant);
    let private = private(site);
    let error = scope::start("error_fns", result);
    let guard = scope::refuse_nested(&quote!(#local.refused(#constant, #error())), result);
    let (returned, done) = (scope::local_at("__result", result), scope::local_at("__done", result));
    let (taken, given) = (scope::taken(result, &returned), scope::given(result, &done));
    let body = scope::annotated_body(&call.func, result);
    let replays = &call.arguments.replays;
    let signature = Signature { inputs: call.arguments.inputs.iter().cloned().collect(), ..call.func.sig.clone() };
    let (attrs, vis, inner) = (&call.func.attrs, &call.func.vis, &call.func.inner);
    quote_spanned! {site=>
        #(#attrs)* #vis #signature {
            #(#inner)*
            #keys
            #items
            let mut #local = #private::call();
            #guard
            loop {
                #(#replays)*
                // A body may be one expression.
                #[allow(unused_braces)]
                let #returned = #local.body(async { #body }).await;
                if let ::core::ops::ControlFlow::Break(#done) = #local.next(#constant, #error(), #taken) {
                    break #given;
                }
                #local.wait().await;
            }
        }
    }
}
