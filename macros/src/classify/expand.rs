//! One match over the variants.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Generics, Member, WherePredicate, parse_quote};

use super::model::{Case, ErrorType, Failure};
use crate::private::private;
use crate::types;

pub(crate) fn implementation(error: &ErrorType) -> TokenStream {
    let private = private(Span::call_site());
    let ident = &error.ident;
    let generics = bounded(error);
    let (parameters, arguments, conditions) = generics.split_for_impl();
    let arms = error.cases.iter().map(arm);
    // A reference to an empty enum counts as inhabited.
    let subject = if error.cases.is_empty() { quote!(*self) } else { quote!(self) };
    quote! {
        #[automatically_derived]
        #[allow(deprecated)]
        impl #parameters #private::Classify for #ident #arguments #conditions {
            fn failure(&self) -> ::core::option::Option<#private::Failure> {
                match #subject { #(#arms)* }
            }
        }
    }
}

/// `E: Classify` for wrapped errors, only where the type is generic: elsewhere the call below says it better.
fn bounded(error: &ErrorType) -> Generics {
    let mut generics = error.generics.clone();
    if generics.type_params().next().is_none() {
        return generics;
    }
    for case in &error.cases {
        if let Failure::Transparent(_, ty) = &case.failure {
            let private = private(ty.span());
            let predicate: WherePredicate = parse_quote!(#ty: #private::Classify);
            generics.make_where_clause().predicates.push(predicate);
        }
    }
    generics
}

fn arm(case: &Case) -> TokenStream {
    let Case { cfgs, pattern, failure } = case;
    let site = Span::mixed_site();
    let private = private(site);
    let arm = match failure {
        Failure::Domain => quote_spanned!(site=> #pattern { .. } => ::core::option::Option::None,),
        Failure::Transparent(member, ty) => {
            let (bind, span) = (bind(member), ty.span());
            let inner = Ident::new("__inner", site);
            let private = crate::private::private(span);
            let call = quote_spanned!(span=> <#ty as #private::Classify>::failure(#inner));
            quote_spanned!(site=> #pattern { #bind } => #call,)
        }
        Failure::With(member, path) => {
            let (bind, span) = (bind(member), types::last_span(path));
            let inner = Ident::new("__inner", site);
            let private = crate::private::private(span);
            let failure = Ident::new("__failure", site);
            let call = quote_spanned!(span=> let #failure: ::core::option::Option<#private::Failure> = #path(#inner););
            quote_spanned!(site=> #pattern { #bind } => { #call #failure })
        }
        Failure::Kind(kind, None) => {
            let kind = Ident::new(kind, site);
            quote_spanned!(site=> #pattern { .. } => ::core::option::Option::Some(#private::Failure::of(#private::Kind::#kind)),)
        }
        Failure::Kind(kind, Some((member, ty))) => {
            let (bind, kind, span) = (bind(member), Ident::new(kind, site), ty.span());
            let inner = Ident::new("__inner", site);
            let at_type = crate::private::private(span);
            // A `Duration` or an `Option<Duration>`: where it is neither, its type is pointed at.
            let wait = quote_spanned!(span=> <#ty as #at_type::RetryAfter>::retry_after(#inner));
            let call = quote_spanned! {site=>
                match #wait {
                    ::core::option::Option::Some(__wait) => #private::Failure::of(#private::Kind::#kind).with_retry_after(__wait),
                    ::core::option::Option::None => #private::Failure::of(#private::Kind::#kind),
                }
            };
            quote_spanned!(site=> #pattern { #bind, .. } => ::core::option::Option::Some(#call),)
        }
    };
    quote!(#(#cfgs)* #arm)
}

/// `field: __inner`, for fields by name and by number alike.
fn bind(member: &Member) -> TokenStream {
    quote_spanned!(Span::mixed_site()=> #member: __inner)
}
