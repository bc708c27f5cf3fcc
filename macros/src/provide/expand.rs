//! One impl for each thing provided.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;

use super::model::{App, Provided};
use crate::private::private;

pub(crate) fn impls(app: &App) -> TokenStream {
    app.provided.iter().map(|one| provided(app, one)).collect()
}

fn provided(app: &App, one: &Provided) -> TokenStream {
    let Provided { cfgs, field, ty, pointed_to, written } = one;
    let span = written.span();
    let private = private(span);
    let ident = &app.ident;
    let (generics, arguments, conditions) = app.generics.split_for_impl();
    let value = if *pointed_to { quote_spanned!(span=> &*self.#field) } else { quote_spanned!(span=> &self.#field) };
    let implementation = quote_spanned! {span=>
        impl #generics #private::Provide<#ty> for #ident #arguments #conditions {
            fn provide(&self) -> &#ty {
                #value
            }
        }
    };
    quote!(#(#cfgs)* #[automatically_derived] #implementation)
}
