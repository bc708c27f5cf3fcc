//! A policy of delays that are kept in a row.

use proc_macro2::TokenStream;
use quote::quote_spanned;

use super::{millis, named, where_it_is};
use crate::policies::doc;
use crate::policies::model::Durable;
use crate::policies::parse::Head;
use crate::private::{private, runtime};

pub(super) fn policy(head: &Head, durable: &Durable) -> TokenStream {
    let Head { vis, name, .. } = head;
    let span = name.span();
    let (private, runtime) = (private(span), runtime(span));
    let item = named(head, &doc::durable(durable));
    let here = where_it_is(head);
    let (base, cap, attempts) = (millis(durable.base), millis(durable.cap), durable.attempts);
    quote_spanned! {span=>
        #item
        #here
        #[allow(dead_code)] // an application may ask for one of the two
        impl #name {
            /// How often the work is tried in all.
            #vis const ATTEMPTS: u32 = #attempts;

            /// The wait after so many failed attempts of the row with this key; `None` when they are spent.
            ///
            /// A pure function of the two: the same after a restart and on every replica.
            #[must_use]
            #vis fn delay(failed: u32, key: &dyn ::core::fmt::Display) -> ::core::option::Option<#runtime::durable::Delay> {
                #private::delay(#base, #cap, Self::ATTEMPTS, failed, key)
            }
        }
    }
}
