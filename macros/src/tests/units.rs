//! `#[atomic_unit]` and `#[provider_call]`: what they refuse, all at once, and that the item stays.

use super::{assert_says, checked, tokens};
use crate::{atomic_unit::expand as expand_unit, provider_call::expand as expand_call};

fn unit(args: &str, item: &str) -> Vec<String> {
    checked(expand_unit(tokens(args), tokens(item)))
}

fn call(args: &str, item: &str) -> Vec<String> {
    checked(expand_call(tokens(args), tokens(item)))
}

const UNIT: &str = "async fn f(tx: &mut Tx<'_>, id: i64) -> Result<(), E> { body(tx, id).await }";
const CALL: &str = "async fn f(key: String) -> Result<(), E> { body(key).await }";

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
    for once in ["retry contention", "\"a\"", "policy = contention", "retries = 3"] {
        assert_eq!(unit(once, UNIT).len(), 1, "`retry` is not missing as well: {once}");
    }
    assert_says(&unit("retry = a, allow(foo)", UNIT), &["unknown word `foo`", "`retry`, `sleep`"]);
    assert_says(&unit("retry = a, allow = retry", UNIT), &["`allow(retry)`"]);
    assert_says(&call("retry = a, in_doubt = fail", CALL), &["`in_doubt` is a key of `#[atomic_unit]`", "COMMIT"]);
}

#[test]
fn answers() {
    for answer in ["read", "set_state", "client_id(id)", "client_id(id,)"] {
        assert!(unit(&format!("retry = a, idempotent = {answer}"), UNIT).is_empty(), "{answer}");
    }
    assert_says(&unit("retry = a, idempotent = sett_state", UNIT), &["did you mean `set_state`"]);
    assert_says(
        &unit("retry = a, idempotent = client_id(idd)", UNIT),
        &["`f` has no parameter `idd`", "`client_id(id)`"],
    );
    assert_says(&unit("retry = a, idempotent = client_id(tx)", UNIT), &["`tx` is the transaction"]);
    for wrong in ["client_id", "client_id()", "client_id(1)", "client_id(a, b)", "read set", "3"] {
        assert_eq!(unit(&format!("retry = a, idempotent = {wrong}"), UNIT).len(), 1, "{wrong}");
    }
    assert_says(&unit("retry = a, idempotent = read, in_doubt = fail", UNIT), &["answer the same question"]);
    assert_says(
        &unit("retry = a, in_doubt = guess", UNIT),
        &["unknown answer `guess`; expected one of `fail`, `resolve`"],
    );
    assert!(unit("retry = a, in_doubt = resolve", UNIT).is_empty());
    assert!(unit("retry = a, in_doubt = fail, pool = self.db", UNIT).is_empty());
}

#[test]
fn begins() {
    for right in [
        "isolation = serializable, read_only",
        "begin = deferred",
        "attempt_timeout = \"2s\"",
        "begin = deferred, read_only",
    ] {
        assert!(unit(&format!("retry = a, {right}"), UNIT).is_empty(), "{right}");
    }
    for (wrong, says) in [
        (
            "isolation = snapshot",
            "unknown isolation level `snapshot`; expected one of `repeatable_read`, `serializable`",
        ),
        ("begin = later", "expected one of `deferred`, `immediate`, `exclusive`"),
        ("read_only = true", "`read_only` takes no value"),
        ("read_only, begin = immediate", "`begin = immediate` takes the write lock, and `read_only` says"),
        ("idempotent = read, begin = exclusive", "and `read` says that the unit only reads"),
        ("attempt_timeout = \"0s\"", "`attempt_timeout` is zero"),
        ("timeout = \"2s\"", "an attempt of a unit is bounded by `attempt_timeout"),
    ] {
        assert_says(&unit(&format!("retry = a, {wrong}"), UNIT), &[says]);
    }
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
    for pool in [
        "&SqlitePool",
        "SqlitePool",
        "&Arc<PgPool>",
        "Option<&sqlx::Pool<Sqlite>>",
        "&MySqlPool",
        "AnyPool",
        "&DatabaseConnection",
        "Arc<sea_orm::DbConn>",
        "&DatabaseTransaction",
        "DatabaseExecutor<'_>",
    ] {
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
    for once in [
        "f.retry(backon::X::default()).await",
        "tokio_retry::Retry::spawn(d, f).await",
        "Retry::spawn(d, f)",
        "RetryIf::spawn(d, f)",
    ] {
        assert_eq!(body("retry = a", once).len(), 1, "one mistake, one message: {once}");
        assert_says(&body("retry = a", once), &["its body retries nothing"]);
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
    for ticker in ["let t = interval(d);", "loop { t.tick().await }", "JobScheduler::new()"] {
        assert_says(&body("retry = a", ticker), &["paces by hand", "a unit holds"]);
        assert!(body("retry = a, allow(sleep)", ticker).is_empty(), "{ticker}");
    }
    assert!(body("retry = a", "last_run = Utc::now();").is_empty(), "a cursor is a job's matter");
    for spawn in ["tokio::spawn(f)", "spawn_blocking(f)", "set.spawn_local(f)", "JoinSet::new()", "spawn::<F>(f)"] {
        assert_says(&body("retry = a", spawn), &["outlives its attempt"]);
    }
    assert!(body("retry = a", "fn spawn(x: u8) {}").is_empty());
}

#[test]
fn all_errors_at_once_and_the_item_stays() {
    let item = "async fn f(a: &mut A, db: &SqlitePool) { tokio::spawn(g()); loop { sleep(d).await } }";
    let text = expand_unit(tokens("retri = x, pool, exclusive"), tokens(item)).to_string();
    let messages = unit("retri = x, pool, exclusive", item);
    assert_eq!(messages.len(), 9, "{messages:#?}");
    let (before, body) = text.split_once("tokio :: spawn").expect("the body is there");
    assert!(before.starts_with("async fn f (a : & mut A , db : & SqlitePool) {"), "{text}");
    assert!(body.starts_with(" (g ()) ; loop { sleep (d) . await } }"), "{text}");

    // With a transaction the signature is what callers will see.
    let text = expand_unit(tokens(""), tokens(UNIT)).to_string();
    assert!(text.contains(":: Pool") && text.contains("body (tx , id) . await"), "{text}");
}
