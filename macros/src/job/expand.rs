//! The function as it is, and beside it a type of the same name that implements `Job`.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::{LitStr, spanned::Spanned};

use super::model::Job;
use super::parameters::Parameter;
use crate::item_fn::ItemFn;
use crate::private::{private, runtime};
use crate::{scope, types};

pub(crate) fn job(job: &Job, keys: &TokenStream) -> TokenStream {
    let func = &job.func;
    let ident = &func.sig.ident;
    let span = ident.span();
    let private = private(span);
    let cfgs: Vec<_> = func.cfgs().collect();
    let clock = local("__run");
    let clock = quote!(#clock.clock());
    let calls = job.parameters.iter().map(|parameter| argument(parameter, &clock));
    let bounds = job.parameters.iter().filter_map(bound);
    let common = declarations(job, keys);
    let (app, run, arg) = (Ident::new("__App", span), local("__run"), local("__app"));
    // At the return type: what is no `Result`, and an error that is no `std::error::Error`, is told there.
    let at_error = scope::result_type(func).map_or(span, types::error_span);
    let error_private = crate::private::private(at_error);
    let result = Ident::new("__result", at_error);
    let ended = quote_spanned!(at_error=> #error_private::ended(#result));
    quote_spanned! {span=>
        #func
        #common
        #(#cfgs)*
        // At the user's spans, so clippy takes it for the user's code; a deprecated function is one for its other callers.
        #[allow(deprecated, clippy::all, clippy::pedantic, clippy::nursery, clippy::restriction)]
        impl<#app> #private::Job<#app> for #ident where #app: #private::MaybeSync #(+ #bounds)* {
            async fn run(#run: #private::Run<'_>, #arg: &#app) -> ::core::result::Result<(), #private::JobError> {
                let #result = #ident(#run.slot() #(, #calls)*).await;
                #ended
            }
        }
    }
}

/// A job for every application that is never run: what stands beside an error.
pub(crate) fn stub(job: &Job, keys: &TokenStream) -> TokenStream {
    let func = &job.func;
    let ident = &func.sig.ident;
    let span = ident.span();
    let private = private(span);
    let cfgs = func.cfgs();
    let common = declarations(job, keys);
    quote_spanned! {span=>
        #func
        #common
        #(#cfgs)*
        impl<__App: #private::MaybeSync> #private::Job<__App> for #ident {
            async fn run(_: #private::Run<'_>, _: &__App) -> ::core::result::Result<(), #private::JobError> {
                ::core::unreachable!()
            }
        }
    }
}

/// The type and its constants.
fn declarations(job: &Job, keys: &TokenStream) -> TokenStream {
    let ident = &job.func.sig.ident;
    let span = ident.span();
    let (private, runtime) = (private(span), runtime(span));
    let vis = &job.func.vis;
    let cfgs: Vec<_> = job.func.cfgs().collect();
    let name = name(&job.func, job.name.as_ref());
    let stand_in = super::cron::Cron { minute: 1, hour: 1, day: 2, month: 2, weekday: 127, text: String::new() };
    let cron = job.cron.as_ref().unwrap_or(&stand_in);
    let super::cron::Cron { minute, hour, day, month, weekday, text } = cron;
    let (exclusive, heartbeat, hand_back) = (job.exclusive, job.heartbeat, job.hand_back);
    let millis = |duration: std::time::Duration| u64::try_from(duration.as_millis()).unwrap_or(u64::MAX);
    let splay = millis(job.splay);
    let catch_up = job.catch_up.map(millis).map_or_else(
        || quote_spanned!(span=> ::core::option::Option::None),
        |limit| quote_spanned!(span=> ::core::option::Option::Some(::core::time::Duration::from_millis(#limit))),
    );
    let timeout = millis(job.timeout);
    let lease = job.parameters.iter().find_map(|parameter| match parameter {
        Parameter::Lease(ty) => Some(ty),
        _ => None,
    });
    let lease_in = lease.map_or_else(
        || quote_spanned!(span=> ::core::option::Option::None),
        |ty| quote_spanned!(ty.span()=> ::core::option::Option::Some(<#ty as #private::LeaseOfRun>::DATABASE)),
    );
    // A struct with braces has no name among the values, where the function lives.
    quote_spanned! {span=>
        #(#cfgs)*
        #keys
        #(#cfgs)*
        #[doc(hidden)]
        // What is to be said of its visibility is said of the function.
        #[allow(non_camel_case_types, unreachable_pub)]
        #vis struct #ident {}
        #(#cfgs)*
        impl #private::JobMeta for #ident {
            const META: #private::Meta = #private::Meta {
                name: #name,
                cron: #runtime::Cron::from_masks(#minute, #hour, #day, #month, #weekday),
                cron_text: #text,
                exclusive: #exclusive,
                timeout: ::core::time::Duration::from_millis(#timeout),
                lease: #private::LeaseMode::new(#heartbeat, #hand_back),
                catch_up: #catch_up,
                splay: ::core::time::Duration::from_millis(#splay),
                lease_in: #lease_in,
            };
        }
        #(#cfgs)*
        impl<__App> #private::Listed<__App> for #ident where #ident: #private::Job<__App> {
            const ENTRY: #private::Entry<__App> = #private::Entry::job::<#ident>();
        }
    }
}

/// The given name, or crate, modules and function, joined when the constant is evaluated: a macro does not know them.
pub(crate) fn name(func: &ItemFn, given: Option<&LitStr>) -> TokenStream {
    if let Some(name) = given {
        return quote!(#name);
    }
    let span = func.sig.ident.span();
    let private = private(span);
    let function = func.name();
    quote_spanned! {span=> {
        const LEN: usize = #private::name_len(::core::module_path!(), #function);
        // Inline: an item would be one more body for rustc to type.
        #private::str_of(&const { #private::name_bytes::<LEN>(::core::module_path!(), #function) })
    }}
}

fn provided(parameter: &Parameter) -> Option<TokenStream> {
    match parameter {
        Parameter::Provided(ty) => Some(quote!(#ty)),
        Parameter::Transaction(ty) => {
            let private = private(ty.span());
            let ty = types::with_static(ty);
            Some(quote!(<#ty as #private::Transactional>::Pool))
        }
        Parameter::Clock | Parameter::Lease(_) => None,
    }
}

/// What the application has to provide for it.
pub(crate) fn bound(parameter: &Parameter) -> Option<TokenStream> {
    let ty = provided(parameter)?;
    let span = ty.span();
    let private = private(span);
    Some(quote_spanned!(span=> #private::Provide<#ty>))
}

/// What is handed to the function for it. The application is `__app`, and the run of a job `__run`.
pub(crate) fn argument(parameter: &Parameter, clock: &TokenStream) -> TokenStream {
    let run = local("__run");
    if let Parameter::Lease(ty) = parameter {
        let span = ty.span();
        let private = private(span);
        return quote_spanned!(span=> &<#ty as #private::LeaseOfRun>::of(&#run));
    }
    let Some(ty) = provided(parameter) else {
        return clock.clone();
    };
    let span = ty.span();
    let private = private(span);
    let app = local("__app");
    quote_spanned!(span=> #private::Provide::<#ty>::provide(#app))
}

/// One hygiene for all uses, wherever their spans point.
pub(crate) fn local(name: &str) -> Ident {
    Ident::new(name, Span::mixed_site())
}
