//! Policies and schedules as types: a constant or a unit struct of a lower-case name would break every `let provider = …`.

mod capped;
mod durable;
mod schedule;

use std::time::Duration;

use proc_macro2::{Ident, Span, TokenStream};
use quote::{quote, quote_spanned};

use super::model::Named;
use super::parse::{Head, is_cfg};
use crate::private::private;

pub(crate) fn policies(all: &[Named]) -> TokenStream {
    // At the first policy: a block in the wrong place, or a second one, is reported at a name and not as a whole.
    let span = all.first().map_or_else(Span::call_site, |first| first.head().name.span());
    let private = private(span);
    let items = all.iter().map(|named| match named {
        Named::Policy(head, policy) => capped::policy(head, policy),
        Named::Durable(head, durable) => self::durable::policy(head, durable),
        Named::Schedule(head, schedule) => self::schedule::schedule(head, schedule),
    });
    let once = quote_spanned! {span=>
        const _: () = #private::assert_retry_home(::core::module_path!());
        #[doc(hidden)]
        #[allow(dead_code, non_camel_case_types)]
        enum only_one_policies_block_per_crate {}
    };
    quote!(#once #(#items)*)
}

/// The type that carries the name.
fn named(head: &Head, sentence: &str) -> TokenStream {
    let Head { attrs, vis, name } = head;
    let separator = attrs.iter().any(|attr| attr.path().is_ident("doc")).then(|| quote!(#[doc = ""]));
    quote_spanned! {name.span()=>
        #(#attrs)*
        #separator
        #[doc = #sentence]
        #[allow(non_camel_case_types, missing_debug_implementations, missing_copy_implementations)] // there is no value of it
        #vis enum #name {}
    }
}

/// An answer in the type system.
fn answer(yes: bool, span: Span) -> Ident {
    Ident::new(if yes { "Yes" } else { "No" }, span)
}

/// What stands before an `impl` of a policy: it is there where the policy is, and names it also where it is deprecated.
fn where_it_is(head: &Head) -> TokenStream {
    let cfgs = head.attrs.iter().filter(|attr| is_cfg(attr));
    quote_spanned! {head.name.span()=>
        #(#cfgs)*
        #[allow(deprecated)]
    }
}

fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}
