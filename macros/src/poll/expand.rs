//! The function as it is, and beside it a type of the same name that implements `Poll`.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{quote, quote_spanned};

use super::model::Poll;
use crate::job::expand::{argument, bound, local, name};
use crate::private::private;
use crate::{scope, types};

pub(crate) fn poll(poll: &Poll, keys: &TokenStream) -> TokenStream {
    let func = &poll.func;
    let ident = &func.sig.ident;
    let span = ident.span();
    let private = private(span);
    let (app, clock, arg) = (Ident::new("__App", span), local("__clock"), local("__app"));
    let clock_argument = quote!(#clock);
    let calls = poll.parameters.iter().map(|parameter| argument(parameter, &clock_argument));
    let bounds: Vec<_> = poll.parameters.iter().filter_map(bound).collect();
    // At the types of the return type: what is no `Result`, an error that is none, and what is no tick.
    let at = |place: fn(&syn::Type) -> Span| scope::result_type(func).map_or(span, place);
    let (at_error, at_tick) = (at(types::error_span), at(types::ok_span));
    let (error_private, tick_private) = (crate::private::private(at_error), crate::private::private(at_tick));
    let result = Ident::new("__result", at_error);
    let failed = quote_spanned!(at_error=> #error_private::failed(#result));
    let answer = Ident::new("__answer", at_tick);
    let ticked = quote_spanned!(at_tick=> #tick_private::ticked(#answer));
    let body = quote_spanned! {span=>
        let #result = #ident(#(#calls),*).await;
        let #answer = #failed;
        #ticked
    };
    implementation(poll, keys, &quote!(#clock: &#private::JobClock, #arg: &#app), &quote!(#(+ #bounds)*), &body)
}

/// A poll for every application that never ticks: what stands beside an error.
pub(crate) fn stub(poll: &Poll, keys: &TokenStream) -> TokenStream {
    let span = poll.func.sig.ident.span();
    let (private, app) = (private(span), Ident::new("__App", span));
    implementation(
        poll,
        keys,
        &quote!(_: &#private::JobClock, _: &#app),
        &TokenStream::new(),
        &quote!(::core::unreachable!()),
    )
}

fn implementation(
    poll: &Poll,
    keys: &TokenStream,
    arguments: &TokenStream,
    bounds: &TokenStream,
    body: &TokenStream,
) -> TokenStream {
    let Poll { func, every, timeout, .. } = poll;
    let ident = &func.sig.ident;
    let span = ident.span();
    let (private, app) = (private(span), Ident::new("__App", span));
    let (vis, cfgs): (_, Vec<_>) = (&func.vis, func.cfgs().collect());
    let name = name(func, poll.name.as_ref());
    let millis = |duration: &std::time::Duration| u64::try_from(duration.as_millis()).unwrap_or(u64::MAX);
    let (every, timeout) = (millis(every), millis(timeout));
    // A struct with braces has no name among the values, where the function lives.
    quote_spanned! {span=>
        #func
        #(#cfgs)*
        #keys
        #(#cfgs)*
        #[doc(hidden)]
        // What is to be said of its visibility is said of the function.
        #[allow(non_camel_case_types, unreachable_pub)]
        #vis struct #ident {}
        #(#cfgs)*
        // At the user's spans, so clippy takes it for the user's code; a deprecated function is one for its other callers.
        #[allow(deprecated, clippy::all, clippy::pedantic, clippy::nursery, clippy::restriction)]
        impl<#app> #private::Poll<#app> for #ident where #app: #private::MaybeSync #bounds {
            const META: #private::PollMeta = #private::PollMeta {
                name: #name,
                every: ::core::time::Duration::from_millis(#every),
                timeout: ::core::time::Duration::from_millis(#timeout),
            };

            async fn tick(#arguments) -> ::core::result::Result<#private::Tick, #private::JobError> {
                #body
            }
        }
        #(#cfgs)*
        impl<#app> #private::Listed<#app> for #ident where #ident: #private::Poll<#app> {
            const ENTRY: #private::Entry<#app> = #private::Entry::poll::<#ident>();
        }
    }
}
