//! `pub static JOBS for App = [billing::close_expired_trials, #[cfg(feature = "mail")] mail::weekly_digest];`

use proc_macro2::{Delimiter, Ident, Span, TokenStream, TokenTree};
use syn::parse::{Parse, ParseStream};
use syn::{Attribute, Path, Token, Type, Visibility};

use crate::chunks::{joined, split_commas, whole};
use crate::error::{Errors, bail, err};
use crate::form::Form;

const FORM: &str = "registry! { pub static JOBS for App = [billing::close_expired_trials]; }";

/// A registry as written.
pub(crate) struct Registry {
    pub(crate) attrs: Vec<Attribute>,
    pub(crate) vis: Visibility,
    pub(crate) name: Ident,
    pub(crate) app: Type,
    list: TokenStream,
}

/// One entry: the path of a job or a poll, under conditions.
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
        let form = Form::new(FORM, &input.fork().parse()?);
        let attrs = input.call(Attribute::parse_outer)?;
        let vis = input.parse()?;
        form.expect::<Token![static]>(input, "`static`")?;
        let name = form.expect(input, "the name of the registry")?;
        form.expect::<Token![for]>(input, "`for` and the application's type")?;
        let app = form.expect(input, "the application's type")?;
        form.expect::<Token![=]>(input, "`=`")?;
        let list = form.within(input, Delimiter::Bracket, "the list of jobs in brackets")?;
        form.expect::<Token![;]>(input, "`;` at the end")?;
        if !input.is_empty() {
            return Err(input.error("one `registry!` is one static; write another `registry! { … }` for this"));
        }
        Ok(Self { attrs, vis, name, app, list })
    }
}
