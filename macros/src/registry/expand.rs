//! The static, typed by its application and by whether one of its jobs is exclusive.
//!
//! The jobs' paths are written once, as aliases beside the static: a wrong path is one error.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};

use syn::{Type, ext::IdentExt};

use super::parse::{Job, Registry};
use crate::private::{private, runtime};

pub(crate) fn registry(registry: &Registry, jobs: &[Job]) -> TokenStream {
    let site = Span::call_site();
    let (private, runtime) = (private(site), runtime(site));
    let Registry { attrs, vis, name, app, .. } = registry;
    let jobs: Vec<Aliased<'_>> =
        jobs.iter().enumerate().map(|(number, job)| Aliased { job, alias: alias(name, number, job) }).collect();
    let aliases = jobs.iter().map(Aliased::declaration);
    let entries = jobs.iter().map(|job| job.expression(|runtime, alias| entry(app, runtime, alias)));
    let cfgs = attrs.iter().filter(|attr| attr.path().is_ident("cfg"));
    let list = format_ident!("__{}", name.unraw(), span = site);
    let unique = (1..jobs.len()).map(|at| unique(&list, &jobs[at], &jobs[..at]));
    quote! {
        #(#aliases)*
        // Once, for the type and for the value: rustc evaluates every entry again wherever it is written.
        #(#cfgs)*
        #[doc(hidden)]
        #[allow(non_upper_case_globals)]
        const #list: &[#runtime::jobs::Entry<#app>] = &[#(#entries)*];
        #(#attrs)*
        #vis static #name: #runtime::Registry<
            #app,
            <#private::Flag<{ #private::any_exclusive(#list) }> as #private::LeaseKind>::Kind,
        > = {
            #(#unique)*
            #runtime::Registry::new(#list)
        };
    }
}

struct Aliased<'a> {
    job: &'a Job,
    alias: Ident,
}

/// Named after the registry too: two of them may stand in one module.
fn alias(registry: &Ident, number: usize, job: &Job) -> Ident {
    format_ident!("__{}{number}", registry.unraw(), span = job.span())
}

impl Aliased<'_> {
    fn declaration(&self) -> TokenStream {
        let Self { job: Job { cfgs, path }, alias } = self;
        quote_spanned! {self.job.span()=>
            #(#cfgs)*
            #[doc(hidden)]
            #[allow(non_camel_case_types)]
            type #alias = #path;
        }
    }

    /// An element of a list, under the job's conditions.
    fn expression(&self, expression: impl FnOnce(&TokenStream, &Ident) -> TokenStream) -> TokenStream {
        let span = self.job.span();
        let cfgs = &self.job.cfgs;
        let expression = expression(&runtime(span), &self.alias);
        quote_spanned!(span=> #(#cfgs)* #expression,)
    }
}

/// All ask for the same bound in the same words: what a job lacks is told once.
fn entry(app: &Type, runtime: &TokenStream, alias: &Ident) -> TokenStream {
    quote!(#runtime::jobs::Entry::<#app>::of::<#alias>())
}

/// An assertion that none of the jobs before this one has its name. Where it stands in the list depends on the conditions of those.
fn unique(list: &Ident, this: &Aliased<'_>, before: &[Aliased<'_>]) -> TokenStream {
    let span = this.job.span();
    let private = private(span);
    let at = if before.iter().all(|before| before.job.cfgs.is_empty()) {
        let at = before.len();
        quote!(#at)
    } else {
        let before = before.iter().map(|before| before.expression(|_, _| quote!(())));
        quote!(<[()]>::len(&[#(#before)*]))
    };
    let cfgs = &this.job.cfgs;
    quote_spanned!(span=> #(#cfgs)* const _: () = #private::fresh(#list, #at);)
}
