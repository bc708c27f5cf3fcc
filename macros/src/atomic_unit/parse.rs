//! The keys of `#[atomic_unit]`.

use proc_macro2::{Ident, TokenStream};
use syn::Expr;

use crate::error::{Errors, err};
use crate::options::{Entry, Given, Keys, Options};
use crate::scope::{Idempotent, Retry};

const KEYS: Keys = Keys {
    owner: "#[atomic_unit]",
    known: &["retry", "pool", "idempotent", "in_doubt", "allow"],
    example: "retry = contention",
    explained: &[
        ("cron", "`cron` is a key of `#[job]`; an atomic unit may carry both attributes"),
        ("timeout", "`timeout` is a key of `#[job]`; an atomic unit may carry both attributes"),
        ("exclusive", "`exclusive` is a key of `#[job]`; an atomic unit may carry both attributes"),
        ("name", "`name` is a key of `#[job]`; a unit is named after its function"),
        ("overlap", "`overlap` is a key of `#[job]`; an atomic unit may carry both attributes"),
        (
            "retries",
            "`retries` belongs to a policy; declare one in `src/retry.rs` and name it, for example `retry = contention`",
        ),
        ("policy", "the policy is named by `retry`, for example `retry = contention`"),
        ("client_id", "`client_id` is a value of `idempotent`; write `idempotent = client_id(order_id)`"),
    ],
};

/// The keys as written.
pub(crate) struct Args {
    pub(crate) retry: Given<Retry>,
    pub(crate) pool: Option<Expr>,
    pub(crate) idempotent: Option<(Ident, Option<Idempotent>)>,
    /// The key of `in_doubt = fail`.
    pub(crate) in_doubt: Option<Ident>,
    pub(crate) allow: Vec<Ident>,
}

impl Args {
    pub(crate) fn parse(input: TokenStream, errors: &mut Errors) -> Self {
        let mut options = Options::parse(input, &KEYS, errors);
        let retry = options.given("retry", errors, Retry::parse);
        let pool = options.take("pool");
        let pool = pool.and_then(|entry| errors.take(entry.value("the place of the pool", "pool = self.db")));
        let idempotent = options.take("idempotent").map(|entry| {
            let answer = errors.take(Idempotent::parse(&entry));
            (entry.key, answer)
        });
        let in_doubt = options.take("in_doubt").map(|entry| {
            errors.take(in_doubt(&entry));
            entry.key
        });
        let allow = options.take("allow").map(|entry| entry.words(&["retry", "sleep"], errors)).unwrap_or_default();
        Self { retry, pool, idempotent, in_doubt, allow }
    }
}

/// `fail` is the only answer so far: lost in COMMIT is the caller's to look at.
fn in_doubt(entry: &Entry) -> syn::Result<()> {
    let word: Ident = entry.value("what happens when COMMIT's answer is lost", "in_doubt = fail")?;
    if word == "fail" {
        return Ok(());
    }
    Err(err!(&word, "unknown answer `{word}`; expected `fail`, for example `in_doubt = fail`"))
}
