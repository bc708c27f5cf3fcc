//! The keys of `#[provider_call]`.

use proc_macro2::{Ident, TokenStream};
use syn::Path;

use crate::editor::Written;
use crate::error::Errors;
use crate::options::{Given, Keys, Options};
use crate::scope::{Idempotent, Retry};

const KEYS: Keys = Keys {
    owner: "#[provider_call]",
    known: &["retry", "idempotent", "allow", "crate"],
    example: "retry = provider",
    explained: &[
        (
            "in_doubt",
            "`in_doubt` is a key of `#[atomic_unit]`, a provider call has no COMMIT that could be lost; say why a replay is \
             harmless, for example `idempotent = client_id(key)`",
        ),
        ("pool", "`pool` is a key of `#[atomic_unit]`, a provider call has no transaction; remove it"),
        ("cron", "`cron` is a key of `#[job]`; a provider call may carry both attributes"),
        ("timeout", "`timeout` is a key of `#[job]`; a provider call may carry both attributes"),
        (
            "retries",
            "`retries` belongs to a policy; declare one in `src/retry.rs` and name it, for example `retry = provider`",
        ),
        ("policy", "the policy is named by `retry`, for example `retry = provider`"),
        ("client_id", "`client_id` is a value of `idempotent`; write `idempotent = client_id(key)`"),
    ],
};

/// The keys as written.
pub(crate) struct Args {
    pub(crate) written: Written,
    /// The path of `crate = …`.
    pub(crate) runtime: Option<Path>,
    pub(crate) retry: Given<Retry>,
    pub(crate) idempotent: Option<Idempotent>,
    pub(crate) allow: Vec<Ident>,
}

impl Args {
    pub(crate) fn parse(input: TokenStream, errors: &mut Errors) -> Self {
        let mut options = Options::parse(input, &KEYS, errors);
        let (written, runtime) = (options.written("ProviderCall"), options.runtime(errors));
        let retry = options.given("retry", errors, Retry::parse);
        let idempotent = options.take("idempotent").and_then(|entry| errors.take(Idempotent::parse(&entry)));
        let allow =
            options.take("allow").map(|entry| entry.words(&["retry", "sleep", "spawn"], errors)).unwrap_or_default();
        Self { written, runtime, retry, idempotent, allow }
    }
}
