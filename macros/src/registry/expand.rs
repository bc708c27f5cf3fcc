//! The static, typed by its application and by whether one of its jobs is exclusive.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};

use super::parse::{Job, Registry};
use crate::private::{private, runtime};

pub(crate) fn registry(registry: &Registry, jobs: &[Job]) -> TokenStream {
    let site = Span::call_site();
    let (private, runtime) = (private(site), runtime(site));
    let Registry { attrs, vis, name, app, .. } = registry;
    let aliases = aliases(jobs);
    let metas = each(jobs, |private, alias| quote!(<#alias as #private::JobMeta>::META.exclusive));
    let entries = each(jobs, |private, alias| quote!(#private::Entry::of::<#alias>()));
    let unique = unique(jobs);
    quote! {
        #(#attrs)*
        #vis static #name: #runtime::Registry<
            #app,
            <#private::Flag<{ #aliases #private::any(&[#metas]) }> as #private::LeaseKind>::Kind,
        > = {
            #aliases
            #unique
            #runtime::Registry::new(&[#entries])
        };
    }
}

/// `type __Job0 = billing::close_expired_trials;`: only the alias is used after it, so a wrong path is one error.
fn aliases(jobs: &[Job]) -> TokenStream {
    let aliases = jobs.iter().enumerate().map(|(number, job)| {
        let (alias, path, cfgs) = (alias(number, job), &job.path, &job.cfgs);
        quote_spanned!(job.span()=> #(#cfgs)* type #alias = #path;)
    });
    aliases.collect()
}

fn alias(number: usize, job: &Job) -> Ident {
    format_ident!("__Job{number}", span = job.span())
}

/// One expression for each job, under its conditions.
fn each(jobs: &[Job], expression: impl Fn(&TokenStream, &Ident) -> TokenStream) -> TokenStream {
    let expressions = jobs.iter().enumerate().map(|(number, job)| {
        let cfgs = &job.cfgs;
        let expression = expression(&private(job.span()), &alias(number, job));
        quote_spanned!(job.span()=> #(#cfgs)* #expression,)
    });
    expressions.collect()
}

/// An assertion for each job that none before it has its name.
fn unique(jobs: &[Job]) -> TokenStream {
    let asserts = jobs.iter().enumerate().skip(1).map(|(number, job)| {
        let span = job.span();
        let private = private(span);
        let (alias, cfgs) = (alias(number, job), &job.cfgs);
        let before = each(&jobs[..number], |private, alias| quote!(<#alias as #private::JobMeta>::META.name));
        quote_spanned!(span=> #(#cfgs)* const _: () = #private::fresh(<#alias as #private::JobMeta>::META.name, &[#before]);)
    });
    asserts.collect()
}
