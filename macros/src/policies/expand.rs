//! Policies as types: a constant or a unit struct of a lower-case name would break every `let provider = …`.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::ext::IdentExt;

use super::doc;
use super::model::Policy;
use crate::private::{private, runtime};

pub(crate) fn policies(policies: &[Policy]) -> TokenStream {
    // At the first policy: a block in the wrong place, or a second one, is reported at a name and not as a whole.
    let span = policies.first().map_or_else(Span::call_site, |first| first.name.span());
    let private = private(span);
    let policies = policies.iter().map(policy);
    let once = quote_spanned! {span=>
        const _: () = #private::assert_retry_home(::core::module_path!());
        #[doc(hidden)]
        #[allow(dead_code, non_camel_case_types)]
        enum only_one_policies_block_per_crate {}
    };
    quote!(#once #(#policies)*)
}

fn policy(policy: &Policy) -> TokenStream {
    let span = policy.name.span();
    let (private, runtime) = (private(span), runtime(span));
    let Policy { attrs, vis, name, retries, .. } = policy;
    let text = name.unraw().to_string();
    let separator = attrs.iter().any(|attr| attr.path().is_ident("doc")).then(|| quote!(#[doc = ""]));
    let sentence = doc::sentence(policy);
    let (base, cap) = (millis(policy.base), millis(policy.cap));
    let jitter = Ident::new(policy.jitter.1, span);
    let contention = answer(policy.retries_contention(), span);
    let ambiguous = answer(policy.is_ambiguous(), span);
    let mut kinds: Vec<&str> = policy.on.iter().flat_map(|kind| kind.variants.iter().copied()).collect();
    kinds.sort_unstable();
    kinds.dedup();
    let kinds = kinds.into_iter().map(|kind| Ident::new(kind, span));
    let gated = policy.gate.then(|| quote_spanned!(span=> .gated()));
    quote_spanned! {span=>
        #(#attrs)*
        #separator
        #[doc = #sentence]
        #[allow(non_camel_case_types, missing_debug_implementations)] // there is no value of it
        #vis enum #name {}
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
        }
    }
}

fn answer(yes: bool, span: Span) -> Ident {
    Ident::new(if yes { "Yes" } else { "No" }, span)
}

fn millis(duration: std::time::Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}
