//! `pub static JOBS for App = [billing::close_expired_trials, #[cfg(feature = "mail")] mail::weekly_digest];`

use proc_macro2::{Group, Ident, Span, TokenStream, TokenTree};
use syn::ext::IdentExt;
use syn::parse::{Parse, ParseStream};
use syn::{Attribute, Path, Token, Type, Visibility, bracketed};

use crate::error::{Errors, bail, err};
use crate::options::{joined, split_commas, whole};

const FORM: &str = "registry! { pub static JOBS for App = [billing::close_expired_trials]; }";

/// A registry as written.
pub(crate) struct Registry {
    pub(crate) attrs: Vec<Attribute>,
    pub(crate) vis: Visibility,
    pub(crate) name: Ident,
    pub(crate) app: Type,
    list: TokenStream,
}

/// One entry: the path of a job, under conditions.
pub(crate) struct Job {
    pub(crate) cfgs: Vec<Attribute>,
    pub(crate) path: Path,
}

impl Job {
    /// The last segment: a mistake about the job is reported there.
    pub(crate) fn span(&self) -> Span {
        self.path.segments.last().map_or_else(Span::call_site, |last| last.ident.span())
    }
}

impl Registry {
    /// The entries that can be read; a registry without any is an error.
    pub(crate) fn jobs(&self, errors: &mut Errors) -> Vec<Job> {
        if self.list.is_empty() {
            errors.push(err!(
                &self.name,
                "`{}` lists no job; a registry lists at least one, written `{FORM}`",
                self.name
            ));
        }
        let chunks = split_commas(self.list.clone(), errors);
        chunks.into_iter().filter_map(|chunk| errors.take(job(&chunk))).collect()
    }
}

fn job(chunk: &[TokenTree]) -> syn::Result<Job> {
    let Ok(job) = whole::<Job>(chunk) else {
        let shown = joined(chunk);
        bail!(&shown, "expected the path of a job, for example `billing::close_expired_trials`");
    };
    if let Some(other) = job.cfgs.iter().find(|attr| !attr.path().is_ident("cfg")) {
        bail!(other, "only `#[cfg(…)]` stands on a job of a registry; put other attributes on the function");
    }
    Ok(job)
}

impl Parse for Job {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        Ok(Self { cfgs: input.call(Attribute::parse_outer)?, path: input.call(Path::parse_mod_style)? })
    }
}

impl Parse for Registry {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let form = |what: &str, error: &syn::Error| err!(error.span(), "expected {what}, written `{FORM}`");
        let attrs = input.call(Attribute::parse_outer)?;
        let vis = input.parse()?;
        input.parse::<Token![static]>().map_err(|error| form("`static`", &error))?;
        let name = input.call(Ident::parse_any).map_err(|error| form("the name of the registry", &error))?;
        if input.peek(Token![:]) {
            return Err(input.error(format!(
                "the type of a registry is written for it; name the application with `for`, written `{FORM}`"
            )));
        }
        input.parse::<Token![for]>().map_err(|error| form("`for` and the application's type", &error))?;
        let app = input.parse().map_err(|error| form("the application's type", &error))?;
        input.parse::<Token![=]>().map_err(|error| form("`=`", &error))?;
        if !input.peek(syn::token::Bracket) {
            return Err(form("the list of jobs in brackets", &input.error("")));
        }
        let content;
        bracketed!(content in input);
        let list = content.parse()?;
        input.parse::<Token![;]>().map_err(|error| form("`;` at the end", &error))?;
        if let Ok(extra) = input.fork().parse::<TokenTree>() {
            let what = if matches!(extra, TokenTree::Group(Group { .. })) { "this" } else { "a second item" };
            bail!(&extra, "one `registry!` is one static, and {what} follows it; write another `registry! {{ … }}`");
        }
        Ok(Self { attrs, vis, name, app, list })
    }
}
