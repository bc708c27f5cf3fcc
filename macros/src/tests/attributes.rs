//! The four attributes: what they refuse, all at once, and that the item stays.

use super::{assert_says, assert_style, expansion, messages, tokens};
use crate::{
    atomic_unit::expand as expand_unit, job::expand as expand_job, provider_call::expand as expand_call,
    repository::expand as expand_repository,
};

fn unit(args: &str, item: &str) -> Vec<String> {
    checked(expand_unit(tokens(args), tokens(item)))
}

fn call(args: &str, item: &str) -> Vec<String> {
    checked(expand_call(tokens(args), tokens(item)))
}

fn job(args: &str, item: &str) -> Vec<String> {
    checked(expand_job(tokens(args), tokens(item)))
}

fn checked(expansion: proc_macro2::TokenStream) -> Vec<String> {
    let messages = messages(expansion);
    assert_style(&messages);
    messages
}

const UNIT: &str = "async fn f(tx: &mut Tx<'_>, id: i64) -> Result<(), E> { body(tx, id).await }";
const CALL: &str = "async fn f(key: String) -> Result<(), E> { body(key).await }";
const JOB: &str = "async fn f(slot: Slot, db: &SqlitePool) -> Result<(), E> { body(slot, db).await }";
const AT_THREE: &str = "cron = \"0 3 * * *\", timeout = \"5m\"";

#[test]
fn keys_are_answered_by_name() {
    assert_says(
        &unit("rety = contention", UNIT),
        &["unknown key `rety`, did you mean `retry`", "`pool`, `idempotent`"],
    );
    assert_eq!(unit("rety = contention", UNIT).len(), 1, "the one that was meant is not missing as well");
    assert_says(&unit("retry = a, retry = b", UNIT), &["`retry` is given twice"]);
    assert_says(&unit("", UNIT), &["missing `retry`", "`retry = contention`", "`retry = never`"]);
    assert_says(&unit("retry", UNIT), &["`retry` takes a value"]);
    assert_says(&unit("retry =", UNIT), &["`retry` takes a value, for example `retry = contention`"]);
    assert_says(&unit("retry = a b", UNIT), &["the name of a policy, not an expression"]);
    assert_says(&unit("retry = capped(base = \"1s\")", UNIT), &["not an expression", "`src/retry.rs`"]);
    assert_says(&unit("retry = \"a\"", UNIT), &["not a text", "`retry = a`"]);
    assert_says(&unit("retry = a,, allow(retry)", UNIT), &["nothing stands before this `,`"]);
    assert_says(&unit("retry = a, \"5m\"", UNIT), &["takes keys"]);
    assert_says(&unit("retry = a, cron = \"x\"", UNIT), &["`cron` is a key of `#[job]`"]);
    assert_says(&unit("retry = a, allow(foo)", UNIT), &["unknown word `foo`", "`retry`, `sleep`"]);
    assert_says(&unit("retry = a, allow = retry", UNIT), &["`allow(retry)`"]);
    assert_says(&call("retry = a, in_doubt = fail", CALL), &["`in_doubt` is a key of `#[atomic_unit]`", "COMMIT"]);
    assert_says(&job(&format!("{AT_THREE}, tz = \"x\""), JOB), &["slots are UTC"]);
    assert_says(&job(&format!("{AT_THREE}, timezone = \"x\""), JOB), &["slots are UTC"]);
    assert_says(&job(&format!("{AT_THREE}, seconds = 5"), JOB), &["whole minutes"]);
    assert_says(&job(&format!("{AT_THREE}, retry = a"), JOB), &["healed by the next slot"]);
}

#[test]
fn answers() {
    for answer in ["read", "set_state", "client_id(id)", "client_id(id,)"] {
        assert!(unit(&format!("retry = a, idempotent = {answer}"), UNIT).is_empty(), "{answer}");
    }
    assert_says(&unit("retry = a, idempotent = sett_state", UNIT), &["did you mean `set_state`"]);
    assert_says(&unit("retry = a, idempotent = client_id(idd)", UNIT), &["`f` has no parameter `idd`"]);
    assert_says(&unit("retry = a, idempotent = client_id(tx)", UNIT), &["`tx` is the transaction"]);
    for wrong in ["client_id", "client_id()", "client_id(1)", "client_id(a, b)", "read set", "3"] {
        assert_eq!(unit(&format!("retry = a, idempotent = {wrong}"), UNIT).len(), 1, "{wrong}");
    }
    assert_says(&unit("retry = a, idempotent = read, in_doubt = fail", UNIT), &["answer the same question"]);
    assert_says(&unit("retry = a, in_doubt = resolve", UNIT), &["unknown answer `resolve`; expected `fail`"]);
    assert!(unit("retry = a, in_doubt = fail, pool = self.db", UNIT).is_empty());
}

#[test]
fn shapes_of_units() {
    let says = |item: &str, parts: &[&str]| assert_says(&unit("retry = a", item), parts);
    says("fn f(tx: &mut Tx<'_>) -> Result<(), E> { g() }", &["is an `async fn`", "`#[async_trait]`"]);
    says("async fn f(tx: &mut Tx<'_>) { g() }", &["returns a `Result`"]);
    says("async fn f(tx: &mut Tx<'_>) -> u8 { g() }", &["returns a `Result`"]);
    says("async fn f(tx: &mut Tx<'_>) -> Result<impl Iterator, E> { g() }", &["`impl Trait`"]);
    says("async fn f(id: i64) -> Result<(), E> { g() }", &["takes its transaction", "`#[provider_call(…)]`"]);
    says("async fn f(a: &mut Tx<'_>, b: &mut x::Tx<'_>) -> Result<(), E> { g() }", &["one transaction"]);
    says("async fn f(tx: Tx<'_>) -> Result<(), E> { g() }", &["write `tx: &mut Tx<'_>`"]);
    says("async fn f(_: &mut Tx<'_>) -> Result<(), E> { g() }", &["a plain name, not `_`"]);
    says("async fn f(tx: &mut Tx<'_>, v: &mut V) -> Result<(), E> { g() }", &["cannot take `&mut`"]);
    says("async fn f(&mut self, tx: &mut Tx<'_>) -> Result<(), E> { g() }", &["cannot take `&mut self`"]);
    says("async fn f(self, tx: &mut Tx<'_>) -> Result<(), E> { g() }", &["`self` by value"]);
    says("async fn f(self: Arc<Self>, tx: &mut Tx<'_>) -> Result<(), E> { g() }", &["`self` by value"]);
    says("async fn f(&self, tx: &mut Tx<'_>) -> Result<(), E>;", &["has a body"]);
    for pool in ["&SqlitePool", "SqlitePool", "&Arc<PgPool>", "Option<&sqlx::Pool<Sqlite>>", "&MySqlPool", "AnyPool"] {
        says(&format!("async fn f(tx: &mut Tx<'_>, p: {pool}) -> Result<(), E> {{ g() }}"), &["cannot take a pool"]);
        let item = format!("async fn f(p: {pool}) -> Result<(), E> {{ g() }}");
        assert_says(&call("retry = a", &item), &["cannot take a pool"]);
    }
    assert_says(&call("retry = a", UNIT), &["a provider call has no transaction", "`#[atomic_unit(…)]`"]);
}

#[test]
fn bodies_of_units() {
    let body =
        |args: &str, body: &str| unit(args, &format!("async fn f(tx: &mut Tx<'_>) -> Result<(), E> {{ {body} }}"));
    for retry in [
        "x.retry(p).await",
        "a.b().retry::<P>(p)",
        "use backon::Retryable;",
        "::tryhard::retry_fn(f)",
        "tokio_retry2::Retry::spawn",
    ] {
        assert_says(&body("retry = a", retry), &["its body retries nothing"]);
    }
    assert!(body("retry = a, allow(retry)", "x.retry(p).await").is_empty());
    for fine in ["self.retry = 3;", "crate::backoff::next()", "let backoff = 3;", "retry(x)", "x.retry"] {
        assert!(body("retry = a", fine).is_empty(), "{fine}");
    }
    for sleep in [
        "loop { sleep(d).await }",
        "while x { if y { tokio::time::sleep(d).await; } }",
        "for Row { id } in rows { async { sleep_until(d).await }.await }",
        "while let Some(Row { id }) = next() { sleep(d) }",
        "'a: loop { select! { _ = sleep(d) => {} } }",
    ] {
        assert_says(&body("retry = a", sleep), &["a loop that sleeps"]);
        assert!(body("retry = a, allow(sleep)", sleep).is_empty(), "{sleep}");
    }
    for fine in ["sleep(d).await; loop { g() }", "loop { let sleep = 3; }", "impl A for B { fn f() { sleep(d) } }"] {
        assert!(body("retry = a", fine).is_empty(), "{fine}");
    }
    for spawn in ["tokio::spawn(f)", "spawn_blocking(f)", "set.spawn_local(f)", "JoinSet::new()", "spawn::<F>(f)"] {
        assert_says(&body("retry = a", spawn), &["outlives its attempt"]);
    }
    assert!(body("retry = a", "fn spawn(x: u8) {}").is_empty());
}

#[test]
fn shapes_of_jobs() {
    let says = |item: &str, parts: &[&str]| assert_says(&job(AT_THREE, item), parts);
    says("fn f(slot: Slot) -> Result<(), E> { g() }", &["is an `async fn`"]);
    says("async fn f() -> Result<(), E> { g() }", &["add `slot: Slot`"]);
    says("async fn f(db: &Db, slot: Slot) -> Result<(), E> { g() }", &["first parameter of a job is its slot"]);
    says("async fn f(slot: &Slot) -> Result<(), E> { g() }", &["by value"]);
    says("async fn f(slot: Slot, again: Slot) -> Result<(), E> { g() }", &["one slot"]);
    says("async fn f(slot: Slot, db: Db) -> Result<(), E> { g() }", &["write `&Db`"]);
    says("async fn f(slot: Slot, db: &mut Db) -> Result<(), E> { g() }", &["not by `&mut`"]);
    says("async fn f(slot: Slot, tx: &mut Tx<'_>) -> Result<(), E> { g() }", &["add `#[atomic_unit(…)]`"]);
    says("async fn f(&self, slot: Slot) -> Result<(), E> { g() }", &["free function"]);
    says("async fn f<T>(slot: Slot, t: &T) -> Result<(), E> { g() }", &["no generic parameters"]);
    says("async fn f(slot: Slot) { g() }", &["returns a `Result`"]);
    for clock in
        ["SystemTime::now()", "chrono::Utc::now()", "Local::now()", "OffsetDateTime::now_utc()", "Zoned::now()"]
    {
        let item = format!("async fn f(slot: Slot) -> Result<(), E> {{ if x {{ {clock} }} }}");
        says(&item, &["reads the wall clock", "`clock: &JobClock`"]);
        assert!(job(&format!("{AT_THREE}, allow(clock)"), &item).is_empty());
    }
    assert!(job(AT_THREE, "async fn f(slot: Slot) -> sqlx::Result<()> { Instant::now() }").is_empty());
}

#[test]
fn times_of_jobs() {
    assert_says(&job("timeout = \"5m\"", JOB), &["missing `cron`"]);
    assert_says(&job("cron = \"0 3 * * *\"", JOB), &["missing `timeout`"]);
    assert_says(&job("cron = \"0 3 * * *\", timeout = \"0m\"", JOB), &["`timeout` is zero"]);
    assert_says(&job("cron = \"0 3 * * *\", timeout = 5", JOB), &["takes a duration", "`timeout = \"5m\"`"]);
    assert_says(&job("cron = \"0 3 * * *\", timeout = \"16m\", exclusive", JOB), &["at most 15 minutes"]);
    assert!(job("cron = \"0 3 * * *\", timeout = \"15m\", exclusive", JOB).is_empty());
    assert!(job("cron = \"0 3 * * *\", timeout = \"3h\"", JOB).is_empty());
    let minutely = "cron = \"* * * * *\", timeout = \"30s\", exclusive";
    assert!(job(minutely, JOB)[0].starts_with("`overlap = skip` is due"), "{:?}", job(minutely, JOB));
    assert!(job(&format!("{minutely}, overlap = skip"), JOB).is_empty());
    assert!(job("cron = \"* * * * *\", timeout = \"1m\"", JOB).is_empty());
    assert_says(&job("cron = \"*/5 * * * *\", timeout = \"5m\", exclusive", JOB), &["lower `timeout` to 4 min"]);
    assert_says(&job(&format!("{AT_THREE}, overlap = run"), JOB), &["unknown answer `run`", "`skip`"]);
    for flag in ["exclusive = true", "exclusive =", "exclusive(x)"] {
        assert_says(&job(&format!("{AT_THREE}, {flag}"), JOB), &["`exclusive` takes no"]);
    }
    for name in ["", "Bad", "-x", "a b", "ä", &"x".repeat(65)] {
        assert_says(&job(&format!("{AT_THREE}, name = \"{name}\""), JOB), &["is no name for a job"]);
    }
    assert!(job(&format!("{AT_THREE}, name = \"billing.close_2-x\""), JOB).is_empty());
}

#[test]
fn a_job_that_is_a_unit() {
    let text = expansion(expand_job(
        tokens(AT_THREE),
        tokens("#[atomic_unit(retry = a)] async fn f(slot: Slot, tx: &mut Tx<'_>) -> Result<(), E> { g() }"),
    ));
    assert!(text.contains("< Tx < 'static > as :: steadfast :: __private :: Transactional > :: Pool"), "{text}");
    let text = expansion(expand_job(
        tokens(AT_THREE),
        tokens(
            "#[steadfast::atomic_unit(retry = a, pool = POOL)] async fn f(slot: Slot, tx: &mut Tx<'_>) -> Result<(), E> { g() }",
        ),
    ));
    assert!(!text.contains("Transactional"), "the transaction is no parameter there: {text}");
}

#[test]
fn repositories() {
    let says = |item: &str, parts: &[&str]| {
        let messages = checked(expand_repository(tokens(""), tokens(item)));
        assert_says(&messages, parts);
    };
    says("impl R { #[atomic_unit(retry = a)] async fn f(tx: &mut Tx<'_>) {} }", &["move `#[atomic_unit]`"]);
    says("impl R { #[cfg_attr(x, provider_call(retry = a))] async fn f(tx: &mut Tx<'_>) {} }", &["`#[provider_call]`"]);
    says("impl R { async fn f(tx: &mut Tx<'_>, p: &PgPool) {} }", &["a pool is outside of it"]);
    says("impl R { async fn f(&self, tx: &mut Tx<'_>) { self.db.begin().await } }", &["`.begin(…)`"]);
    says("impl R { async fn f(&self, tx: &mut Tx<'_>) { self.db.acquire().await } }", &["`.acquire(…)`"]);
    says("impl R { async fn f(&self, tx: &mut Tx<'_>) { q.retry(p).await } }", &["a repository never retries"]);
    says("impl R { async fn f(&self, tx: &mut Tx<'_>) { loop { sleep(d).await } } }", &["a loop that sleeps"]);
    says("impl R { async fn f(&self, id: i64) {} }", &["`f` takes no transaction"]);
    says("impl R { fn f(&self, id: i64) {} }", &["nothing here takes a transaction"]);
    says("impl R { const N: u8 = 3; }", &["nothing here takes a transaction"]);
    says("struct R;", &["stands on an `impl` block or a function"]);
    for fine in [
        "impl<T> R<T> { const N: [u8; 2] = [1; 2]; type X = Y; fn new() -> Self { Self {} } async fn f(&self, tx: &mut Tx<'_>) {} }",
        "impl R { async fn f(&self, db: impl SqliteExecutor<'_>) {} }",
        "pub(crate) async fn f<'e, E: sqlx::Executor<'e>>(db: E) -> Result<(), X> { g() }",
        "#[async_trait] impl Trials for R { fn f<'a>(&'a self, tx: &'a mut Tx<'_>) -> Pin<Box<dyn Future>> { g() } }",
        "trait Trials { async fn f(&self, tx: &mut Tx<'_>); }",
    ] {
        assert_eq!(expansion(expand_repository(tokens(""), tokens(fine))), tokens(fine).to_string());
    }
    let allowed = "impl R { async fn f(&self, tx: &mut Tx<'_>) { q.retry(p).await } }";
    expansion(expand_repository(tokens("allow(retry)"), tokens(allowed)));
}

#[test]
fn all_errors_at_once_and_the_item_stays() {
    let item = "async fn f(a: &mut A, db: &SqlitePool) { tokio::spawn(g()); loop { sleep(d).await } }";
    let text = expand_unit(tokens("retri = x, pool, exclusive"), tokens(item)).to_string();
    let messages = unit("retri = x, pool, exclusive", item);
    assert_eq!(messages.len(), 9, "{messages:#?}");
    assert!(text.starts_with(&tokens(item).to_string()), "{text}");

    // With a transaction the signature is what callers will see.
    let text = expand_unit(tokens(""), tokens(UNIT)).to_string();
    assert!(text.contains(":: Pool") && text.contains("body (tx , id) . await"), "{text}");

    let text = expand_job(tokens("cron = \"x\""), tokens(JOB)).to_string();
    assert!(text.contains("struct f { }") && text.contains("Job < __App > for f"), "a registry finds it: {text}");
}
