//! The keys of `#[atomic_unit]`.

use proc_macro2::{Ident, TokenStream};
use syn::{Expr, Path};

use super::begin::Begin;
use crate::editor::Written;
use crate::error::Errors;
use crate::options::{Entry, Given, Keys, Options};
use crate::scope::{Idempotent, Retry};
use crate::suggest::unknown;

const KEYS: Keys = Keys {
    owner: "#[atomic_unit]",
    known: &[
        "retry",
        "pool",
        "idempotent",
        "in_doubt",
        "fence",
        "isolation",
        "read_only",
        "begin",
        "attempt_timeout",
        "allow",
        "crate",
    ],
    example: "retry = contention",
    explained: &[
        ("cron", "`cron` is a key of `#[job]`; an atomic unit may carry both attributes"),
        ("timeout", "`timeout` is a key of `#[job]`; an attempt of a unit is bounded by `attempt_timeout = \"2s\"`"),
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
    pub(crate) written: Written,
    /// The path of `crate = …`.
    pub(crate) runtime: Option<Path>,
    pub(crate) retry: Given<Retry>,
    pub(crate) pool: Option<Expr>,
    pub(crate) idempotent: Option<(Ident, Option<Idempotent>)>,
    /// The key of `in_doubt = …`, and its answer.
    pub(crate) in_doubt: Option<(Ident, Option<InDoubt>)>,
    /// The parameter of `fence = …`.
    pub(crate) fence: Given<Ident>,
    pub(crate) begin: Begin,
    pub(crate) allow: Vec<Ident>,
}

impl Args {
    pub(crate) fn parse(input: TokenStream, errors: &mut Errors) -> Self {
        let mut options = Options::parse(input, &KEYS, errors);
        let (written, runtime) = (options.written("AtomicUnit"), options.runtime(errors));
        let retry = options.given("retry", errors, Retry::parse);
        let pool = options.take("pool");
        let pool = pool.and_then(|entry| errors.take(entry.value("the place of the pool", "pool = self.db")));
        let idempotent = options.take("idempotent").map(|entry| {
            let answer = errors.take(Idempotent::parse(&entry));
            (entry.key, answer)
        });
        let in_doubt = options.take("in_doubt").map(|entry| {
            let answer = errors.take(InDoubt::parse(&entry));
            (entry.key, answer)
        });
        let lease = "the parameter that is the lease";
        let fence = options.given("fence", errors, |entry| entry.value(lease, "fence = lease"));
        let begin = Begin::parse(&mut options, errors);
        let allow =
            options.take("allow").map(|entry| entry.words(&["retry", "sleep", "spawn"], errors)).unwrap_or_default();
        Self { written, runtime, retry, pool, idempotent, in_doubt, fence, begin, allow }
    }
}

/// What happens when COMMIT's answer is lost.
pub(crate) enum InDoubt {
    /// It is the caller's to look at.
    Fail,
    /// The server is asked; the word, for the bound on the engine.
    Resolve(Ident),
}

impl InDoubt {
    fn parse(entry: &Entry) -> syn::Result<Self> {
        let word: Ident = entry.value("what happens when COMMIT's answer is lost", "in_doubt = fail")?;
        match word.to_string().as_str() {
            "fail" => Ok(Self::Fail),
            "resolve" => Ok(Self::Resolve(word)),
            _ => Err(unknown(&word, "answer", &["fail", "resolve"])),
        }
    }
}
