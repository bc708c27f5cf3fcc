//! A schedule.

use proc_macro2::{Ident, Span, TokenStream};
use quote::quote_spanned;
use syn::ext::IdentExt;

use super::{answer, millis, named, where_it_is};
use crate::policies::doc;
use crate::policies::model::{Schedule, ScheduleShape};
use crate::policies::parse::Head;
use crate::private::{private, runtime};

pub(super) fn schedule(head: &Head, schedule: &Schedule) -> TokenStream {
    let Head { name, .. } = head;
    let span = name.span();
    let (private, runtime) = (private(span), runtime(span));
    let (item, place) = (named(head, &doc::schedule(schedule)), where_it_is(head));
    let text = name.unraw().to_string();
    let bounded = answer(schedule.ends(), span);
    let is_jittered = answer(schedule.jitter.is_some(), span);
    let shape = match schedule.shape {
        ScheduleShape::Recurs => quote_spanned!(span=> Recurs),
        ScheduleShape::Spaced(delay) => {
            let delay = millis(delay);
            quote_spanned!(span=> Spaced(#delay))
        }
        ScheduleShape::Fixed(period) => {
            let period = millis(period);
            quote_spanned!(span=> Fixed(#period))
        }
        ScheduleShape::Exponential { base, cap } => {
            let (base, cap) = (millis(base), millis(cap));
            quote_spanned!(span=> Exponential { base: #base, cap: #cap })
        }
        ScheduleShape::Fibonacci { base, cap } => {
            let (base, cap) = (millis(base), millis(cap));
            quote_spanned!(span=> Fibonacci { base: #base, cap: #cap })
        }
    };
    let jitter = schedule.jitter.map(|(_, name)| Ident::new(name, span));
    let jitter = optional(jitter.map(|name| quote_spanned!(span=> #runtime::retry::Jitter::#name)), span);
    let times = optional(schedule.times.map(|times| quote_spanned!(span=> #times)), span);
    let limit = schedule.limit.map(millis);
    let limit = optional(limit.map(|limit| quote_spanned!(span=> #limit)), span);
    quote_spanned! {span=>
        #item
        #place
        impl #private::NamedSchedule for #name {
            type Bounded = #private::#bounded;
            type Jittered = #private::#is_jittered;
            const SCHEDULE: #private::Schedule = #private::Schedule {
                name: #text,
                shape: #private::Shape::#shape,
                jitter: #jitter,
                times: #times,
                limit_ms: #limit,
            };
        }
    }
}

fn optional(value: Option<TokenStream>, span: Span) -> TokenStream {
    let none = quote_spanned!(span=> ::core::option::Option::None);
    value.map_or(none, |value| quote_spanned!(span=> ::core::option::Option::Some(#value)))
}
