//! Editors expand while a user types: every prefix of an invocation must end in an answer, never in a panic.

use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};

use super::tokens;
use crate::{atomic_unit, classify, job, policies, poll, provide, provider_call, registry, repository};

/// Every way to stop typing: after each token, at each depth, with the groups around it closed.
pub(super) fn prefixes(stream: TokenStream) -> Vec<TokenStream> {
    let all: Vec<TokenTree> = stream.into_iter().collect();
    let mut prefixes = vec![TokenStream::new()];
    for (at, token) in all.iter().enumerate() {
        let before: TokenStream = all[..at].iter().cloned().collect();
        if let TokenTree::Group(group) = token {
            for inner in prefixes_of(group) {
                let mut prefix = before.clone();
                prefix.extend([TokenTree::from(inner)]);
                prefixes.push(prefix);
            }
        }
        let mut prefix = before;
        prefix.extend([token.clone()]);
        prefixes.push(prefix);
    }
    prefixes
}

fn prefixes_of(group: &Group) -> Vec<Group> {
    prefixes(group.stream()).into_iter().map(|stream| Group::new(group.delimiter(), stream)).collect()
}

type Attribute = (&'static str, &'static str, fn(TokenStream, TokenStream) -> TokenStream);
type Other = (&'static str, fn(TokenStream) -> TokenStream);

const ATTRIBUTES: [Attribute; 5] = [
    (
        "retry = crate::retry::contention, pool = self.db, idempotent = client_id(id), in_doubt = fail, allow(retry, sleep)",
        "#[cfg(x)] pub(crate) async fn close<'a, T: Clone>(&self, tx: &mut a::Tx<'_>, (id, n): (i64, u8), by: &'a str, t: impl Into<T>) -> \
         Result<&'a str, E> where T: Send { #![allow(x)] for Row { id } in rows { x.retry(3); SystemTime::now(); loop { sleep(d) } } Ok(by) }",
        atomic_unit::expand,
    ),
    (
        "retry = provider, idempotent = set_state, allow(retry)",
        "async fn charge(key: String, amount: &u64) -> Result<(), E> { post(key, amount).await }",
        provider_call::expand,
    ),
    (
        "cron = \"0 3 * * *\", timeout = \"5m\", exclusive, name = \"a.b\", overlap = skip, allow(clock)",
        "#[atomic_unit(retry = a, pool = P)] pub async fn close(slot: Slot, tx: &mut Tx<'_>, db: &SqlitePool, clock: &JobClock) -> Result<(), E> { Ok(()) }",
        job::expand,
    ),
    (
        "every = \"1s\", timeout = \"30s\", name = \"a.b\"",
        "#[cfg(x)] pub async fn relay(db: &SqlitePool, clock: &JobClock) -> Result<Tick, E> { Ok(Tick::Idle) }",
        poll::expand,
    ),
    (
        "allow(retry)",
        "impl<'a> Trials for R<'a> { const N: u8 = 3; #[x] pub async fn close(&self, tx: &mut Tx<'_>, p: &PgPool) -> Result<(), E> { p.begin() } }",
        repository::expand,
    ),
];

const OTHERS: [Other; 4] = [
    (
        "/// Docs\n pub policy a = capped(base = \"1s\", cap = \"2s\", retries = 3, jitter = full).on(contention, deadlock); policy b = capped().on(); schedule c = exponential(base = \"1s\", cap = \"2s\").jittered(full).up_to(3).up_to(\"5m\");",
        policies::expand,
    ),
    ("/// Docs\n pub(crate) static JOBS for crate::App<T> = [a::b, #[cfg(x)] c::d,];", registry::expand),
    (
        "#[x] pub enum E<T: X> where T: Y { A, #[classify(transparent)] B(#[from] T), #[classify(rate_limited, retry_after = w)] C { w: D }, #[classify(with = a::b)] F(X) }",
        classify::expand,
    ),
    (
        "pub struct App<T> { #[cfg(x)] pub db: SqlitePool, #[provide(skip)] b: Arc<dyn M + 'static>, c: Box<dyn X> }",
        provide::expand,
    ),
];

#[test]
fn no_prefix_panics() {
    let mut count = 0;
    for (args, item, expand) in ATTRIBUTES {
        for args in prefixes(tokens(args)) {
            let _ = expand(args, tokens(item));
            count += 1;
        }
        for item in prefixes(tokens(item)) {
            let _ = expand(tokens(args), item);
            count += 1;
        }
    }
    for (input, expand) in OTHERS {
        for input in prefixes(tokens(input)) {
            let _ = expand(input);
            count += 1;
        }
    }
    assert!(count > 500, "{count} prefixes");
}

/// What `macro_rules!` hands on is wrapped in groups that nobody sees.
#[test]
fn invisible_groups_change_nothing() {
    let wrapped = |text: &str| TokenStream::from(TokenTree::from(Group::new(Delimiter::None, tokens(text))));
    let policy = wrapped("crate::retry::a");
    let (tx, slot, db) = (wrapped("&mut Tx<'_>"), wrapped("Slot"), wrapped("&SqlitePool"));
    let body = wrapped("{ g() }");
    let item = quote::quote!(async fn f(tx: #tx, id: i64) -> Result<(), E> #body);
    super::expansion(atomic_unit::expand(quote::quote!(retry = #policy), item));
    let (cron, timeout) = (wrapped("\"0 3 * * *\""), wrapped("\"5m\""));
    let item = quote::quote!(async fn f(slot: #slot, db: #db) -> Result<(), E> { g() });
    super::expansion(job::expand(quote::quote!(cron = #cron, timeout = #timeout), item));
}
