//! The small loop around the user's body. A form with closures would be shorter but its future is not `Send`.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::{Expr, FnArg, Signature, Token, Type, parse_quote_spanned};

use super::model::Unit;
use crate::private::private;
use crate::scope::{self, Marker};
use crate::types;

pub(crate) fn unit(unit: &Unit, keys: &TokenStream) -> TokenStream {
    let (Some(retry), Some(result)) = (&unit.retry, scope::result_type(&unit.func)) else { return TokenStream::new() };
    let site = Span::mixed_site();
    let private = private(site);
    let (local, constant) = (Ident::new("__unit", site), Ident::new("__UNIT", site));
    let marker = Marker {
        func: &unit.func,
        retry,
        answer: unit.answer,
        settings: unit.begin.settings(),
        check: "unit_declaration",
    };
    let items = marker.items(&constant);
    let start = scope::start("unit", result);
    let done = scope::local_at("__done", result);
    let given = scope::given(result, &done);
    let tx_type = types::with_static(&unit.tx_type);
    let by_mode = unit.begin.mode().map(|word| engine_bound("begins_by_mode", word, &tx_type));
    let resolves = unit.resolve.as_ref().map(|word| engine_bound("resolves", word, &tx_type));
    let isolates = unit.of_transaction.as_ref().map(|word| engine_bound("isolates", word, &tx_type));
    let pool = pool(unit);
    let (receipt, attempt) = (receipt(unit, result), attempt(unit, result, &local));
    let signature = signature(unit);
    let (attrs, vis, inner) = (&unit.func.attrs, &unit.func.vis, &unit.func.inner);
    quote_spanned! {site=>
        #(#attrs)* #vis #signature {
            #(#inner)*
            #keys
            #items
            #by_mode
            #resolves
            #isolates
            let mut #local = #start(#constant);
            #receipt
            loop {
                let mut __checkout = <#tx_type as #private::Transactional>::checkout();
                let __ended = match #local.open(&mut __checkout, #pool).await {
                    ::core::result::Result::Ok(mut __open) => {
                        #attempt
                        #local.finish(__open, __result).await
                    }
                    ::core::result::Result::Err(__refused) => #local.refused(__refused),
                };
                match #local.next(__ended, __checkout, #pool).await {
                    ::core::ops::ControlFlow::Break(#done) => break #given,
                    ::core::ops::ControlFlow::Continue(()) => {}
                }
            }
        }
    }
}

/// `let __result = …;`: the body, or what an earlier run of it has recorded.
fn attempt(unit: &Unit, result: &Type, local: &Ident) -> TokenStream {
    let work = unfenced(unit, result, local);
    let Some(lease) = &unit.fence else { return work };
    let private = private(lease.span());
    // With the engine said, a lease of another one is told as such.
    let ty = types::with_static(&unit.tx_type);
    let fence = quote_spanned!(lease.span()=> #private::fence::<<#ty as #private::Transactional>::Engine, _>(#lease));
    quote_spanned! {Span::mixed_site()=>
        let __result = match #local.fenced(&mut __open, #fence).await {
            ::core::ops::ControlFlow::Break(__lost) => __lost,
            ::core::ops::ControlFlow::Continue(()) => {
                #work
                __result
            }
        };
    }
}

/// The same without a look at the lease.
fn unfenced(unit: &Unit, result: &Type, local: &Ident) -> TokenStream {
    let site = Span::mixed_site();
    let (replays, tx) = (&unit.arguments.replays, give_tx(unit));
    let body = scope::annotated_body(&unit.func, result);
    let taken = scope::take(result);
    // A body may be one expression.
    let run = quote_spanned! {site=>
        #(#replays)*
        #[allow(unused_braces)]
        let __result = #local.body(async { #tx #body }).await.map(#taken);
    };
    let Some((word, _)) = &unit.receipt else { return run };
    // At the word that asks for it: a transaction that keeps no receipts is refused there.
    let (open, slip, found) = (Ident::new("__open", site), Ident::new("__receipt", site), Ident::new("__result", site));
    let (private, ty) = (private(word.span()), types::with_static(&unit.tx_type));
    let engine = quote_spanned!(word.span()=> <#ty as #private::Transactional>::Engine);
    let recorded =
        quote_spanned!(word.span()=> #private::recorded::<#engine, _, _, _>(&mut #local, &mut #open, &#slip).await);
    let record = quote_spanned! {word.span()=>
        #private::record::<#engine, _, _, _>(&mut #local, &mut #open, &#slip, &#found).await
    };
    quote_spanned! {site=>
        let __result = match #recorded {
            ::core::ops::ControlFlow::Break(__found) => __found,
            ::core::ops::ControlFlow::Continue(()) => {
                #run
                #record;
                __result
            }
        };
    }
}

/// `let __receipt = …;`: a result that cannot be recorded is reported at the return type, a key without a text at its name.
fn receipt(unit: &Unit, result: &Type) -> Option<TokenStream> {
    let (word, key) = unit.receipt.as_ref()?;
    let (span, site) = (result.span(), Span::mixed_site());
    let (private, at_result) = (private(word.span()), private(span));
    let receipt = Ident::new("receipt", word.span());
    let value = quote_spanned!(span=> <#result as #at_result::IsResult>::Ok);
    let function = quote_spanned!(word.span()=> #private::#receipt::<#value, _>);
    let argument = quote_spanned!(key.span()=> &#key);
    Some(quote_spanned!(site=> let __receipt = #function(#argument);))
}

/// A bound on the engine of the transaction, reported at the word that asks for it.
fn engine_bound(check: &str, word: &Ident, tx_type: &TokenStream) -> TokenStream {
    let span = word.span();
    let private = private(span);
    let check = Ident::new(check, span);
    quote_spanned!(span=> const _: () = #private::#check::<<#tx_type as #private::Transactional>::Engine>();)
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
pub(crate) fn signature_only(unit: &Unit, keys: &TokenStream) -> TokenStream {
    let signature = signature(unit);
    let (attrs, vis, inner, body) = (&unit.func.attrs, &unit.func.vis, &unit.func.inner, &unit.func.body);
    let (tx, ty) = (&unit.tx, &unit.tx_type);
    let arguments = &unit.arguments.replays;
    quote_spanned! {Span::mixed_site()=>
        #[allow(unused, unreachable_code, clippy::all, clippy::pedantic)]
        #(#attrs)* #vis #signature {
            #(#inner)*
            #keys
            #(#arguments)*
            let #tx: &mut #ty = ::core::unreachable!();
            #body
        }
    }
}

/// `let tx = &mut __open.tx();`, within the body's block and at the user's name: rustc's help for a moved `tx` needs both.
fn give_tx(unit: &Unit) -> TokenStream {
    let tx = &unit.tx;
    let span = unit.tx.ident.span();
    let source = Ident::new("__open", Span::mixed_site());
    quote_spanned!(span=> let #tx = &mut #source.tx();)
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
