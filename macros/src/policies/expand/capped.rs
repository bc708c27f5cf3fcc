//! A policy of retries in process.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::ext::IdentExt;

use super::{answer, millis, named, where_it_is};
use crate::policies::doc;
use crate::policies::model::Policy;
use crate::policies::parse::Head;
use crate::private::{private, runtime};

pub(super) fn policy(head: &Head, policy: &Policy) -> TokenStream {
    let Head { name, .. } = head;
    let Policy { retries, .. } = policy;
    let span = name.span();
    let (private, runtime) = (private(span), runtime(span));
    let item = named(head, &doc::sentence(policy));
    let here = where_it_is(head);
    let text = name.unraw().to_string();
    let (base, cap) = (millis(policy.base), millis(policy.cap));
    let jitter = Ident::new(policy.jitter.1, span);
    let contention = answer(policy.retries_contention(), span);
    let ambiguous = answer(policy.is_ambiguous(), span);
    let mut kinds: Vec<&str> = policy.on.iter().flat_map(|kind| kind.variants.iter().copied()).collect();
    kinds.sort_unstable();
    kinds.dedup();
    let kinds = kinds.into_iter().map(|kind| Ident::new(kind, span));
    let gated = policy.gate.then(|| quote_spanned!(span=> .gated()));
    let extras = extras(policy, span);
    quote_spanned! {span=>
        #item
        #here
        impl #private::NamedPolicy for #name {
            type Contention = #private::#contention;
            type Ambiguous = #private::#ambiguous;
            const POLICY: #runtime::retry::Policy = #private::capped(#private::Capped {
                name: #text,
                base_ms: #base,
                cap_ms: #cap,
                retries: #retries,
                jitter: #runtime::retry::Jitter::#jitter,
                on: #private::On::NONE #(.with(#private::Kind::#kinds))*,
            }) #gated;
            #extras
        }
    }
}

/// `.budget(…)` and `.on_retry(…)`, where there are any.
fn extras(policy: &Policy, span: Span) -> Option<TokenStream> {
    let private = private(span);
    let budget = policy.budget.as_ref().map(|budget| {
        let (ratio, free) = (budget.ratio, budget.min_per_second);
        quote_spanned! {span=>
            budget: ::core::option::Option::Some({
                fn budget() -> &'static #private::Budget {
                    static BUDGET: #private::Budget = #private::Budget::new(#ratio, #free);
                    &BUDGET
                }
                budget
            }),
        }
    });
    let on_retry = policy.on_retry.as_ref().map(|path| {
        let at = crate::types::last_span(path);
        // With its type in a line of its own, so that the message about another function names that and nothing of ours.
        quote_spanned!(at=> on_retry: ::core::option::Option::Some({ let hook: fn(&#private::Retrying<'_>) = #path; hook }),)
    });
    let fields = [budget, on_retry].into_iter().flatten().reduce(|all, field| quote!(#all #field))?;
    Some(
        quote_spanned! {span=>
            #[allow(clippy::needless_update)] // both may be given
            const EXTRAS: #private::Extras = #private::Extras { #fields ..#private::Extras::NONE };
        }
        .into_token_stream(),
    )
}
