//! The small loop around the user's body. A form with closures would be shorter but its future is not `Send`.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::{Expr, FnArg, Signature, Token, parse_quote_spanned};

use super::model::Unit;
use crate::private::private;
use crate::scope::{self, Marker};
use crate::types;

pub(crate) fn unit(unit: &Unit) -> TokenStream {
    let (Some(retry), Some(result)) = (&unit.retry, scope::result_type(&unit.func)) else { return TokenStream::new() };
    let site = Span::mixed_site();
    let private = private(site);
    let (local, constant) = (Ident::new("__unit", site), Ident::new("__UNIT", site));
    let marker = Marker { func: &unit.func, retry, answer: unit.answer, check: "unit_declaration" };
    let items = marker.items(&constant);
    let start = scope::start("unit", result);
    let guard = scope::refuse_nested(&quote!(#local.nested()), result);
    let (returned, done) = (scope::local_at("__result", result), scope::local_at("__done", result));
    let (taken, given) = (scope::taken(result, &returned), scope::given(result, &done));
    let tx_type = types::with_static(&unit.tx_type);
    let pool = pool(unit);
    let replays = &unit.arguments.replays;
    let body = scope::annotated_body(&unit.func, result);
    let tx = give_tx(unit);
    let signature = signature(unit);
    let (attrs, vis, inner) = (&unit.func.attrs, &unit.func.vis, &unit.func.inner);
    quote_spanned! {site=>
        #(#attrs)* #vis #signature {
            #(#inner)*
            #items
            let mut #local = #start(#constant);
            #guard
            loop {
                let mut __checkout = <#tx_type as #private::Transactional>::checkout();
                let __ended = match __checkout.open(#pool, #constant).await {
                    ::core::result::Result::Ok(mut __tx) => {
                        #(#replays)*
                        // A body may be one expression.
                        #[allow(unused_braces)]
                        let #returned = #local.body(async { #tx #body }).await;
                        #local.finish(__tx, #taken).await
                    }
                    ::core::result::Result::Err(__refused) => #local.refused(__refused),
                };
                // Nothing is held while waiting.
                __checkout.release().await;
                match #local.next(__ended).await {
                    ::core::ops::ControlFlow::Break(#done) => break #given,
                    ::core::ops::ControlFlow::Continue(()) => {}
                }
            }
        }
    }
}

/// What is handed to the runtime as `&Pool`: the place that the attribute names, or the parameter.
fn pool(unit: &Unit) -> TokenStream {
    match &unit.pool {
        Some(place @ Expr::Reference(_)) => quote!(#place),
        Some(place) => quote_spanned!(place.span()=> &#place),
        None => quote_spanned!(Span::mixed_site()=> pool),
    }
}

/// The function as callers see it, around a body that is only checked: what stands beside an error.
pub(crate) fn signature_only(unit: &Unit) -> TokenStream {
    let signature = signature(unit);
    let (attrs, vis, inner, body) = (&unit.func.attrs, &unit.func.vis, &unit.func.inner, &unit.func.body);
    let (tx, ty) = (&unit.tx, &unit.tx_type);
    let arguments = &unit.arguments.replays;
    quote_spanned! {Span::mixed_site()=>
        #[allow(unused, unreachable_code, clippy::all, clippy::pedantic)]
        #(#attrs)* #vis #signature {
            #(#inner)*
            #(#arguments)*
            let #tx: &mut #ty = ::core::unreachable!();
            #body
        }
    }
}

/// `let tx = &mut __tx;`, within the body's block and at the user's name: rustc's help for a moved `tx` needs both.
fn give_tx(unit: &Unit) -> TokenStream {
    let tx = &unit.tx;
    let span = unit.tx.ident.span();
    let source = Ident::new("__tx", Span::mixed_site());
    quote_spanned!(span=> let #tx = &mut #source;)
}

/// The transaction's place is taken by the pool that belongs to it, or by nothing with `pool = …`.
fn signature(unit: &Unit) -> Signature {
    let mut inputs: Punctuated<FnArg, Token![,]> = unit.arguments.inputs.iter().cloned().collect();
    if unit.pool.is_none() {
        let site = Span::mixed_site();
        let private = private(site);
        let ty = types::with_static(&unit.tx_type);
        // At the attribute's site: "expected `&Pool`" would underline the user's `tx: &mut Tx<'_>`, which they do pass.
        let pool = parse_quote_spanned!(site=> pool: &<#ty as #private::Transactional>::Pool);
        inputs.insert(unit.tx_at.min(inputs.len()), pool);
    }
    Signature { inputs, ..unit.func.sig.clone() }
}
