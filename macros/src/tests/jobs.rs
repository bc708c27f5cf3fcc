//! `#[job]`

use super::{assert_says, checked, expansion, tokens};
use crate::job::expand as expand_job;

fn job(args: &str, item: &str) -> Vec<String> {
    checked(expand_job(tokens(args), tokens(item)))
}

const JOB: &str = "async fn f(slot: Slot, db: &SqlitePool) -> Result<(), E> { body(slot, db).await }";
const AT_THREE: &str = "cron = \"0 3 * * *\", timeout = \"5m\"";

#[test]
fn keys_are_answered_by_name() {
    assert_says(&job(&format!("{AT_THREE}, tz = \"x\""), JOB), &["slots are UTC"]);
    assert_says(&job(&format!("{AT_THREE}, timezone = \"x\""), JOB), &["slots are UTC"]);
    assert_says(&job(&format!("{AT_THREE}, seconds = 5"), JOB), &["whole minutes"]);
    assert_says(&job(&format!("{AT_THREE}, retry = a"), JOB), &["healed by the next slot"]);
    for once in ["every = \"5m\"", "\"0 3 * * *\"", "cron: \"0 3 * * *\"", "crn = \"0 3 * * *\""] {
        assert_eq!(job(&format!("{once}, timeout = \"1m\""), JOB).len(), 1, "`cron` is not missing as well: {once}");
    }
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
    says("async fn f(slot: Slot, db: sqlx::Pool<Db, u8>) -> Result<(), E> { g() }", &["write `&sqlx::Pool<Db, u8>`"]);
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
fn bodies_of_jobs() {
    let body = |args: &str, body: &str| {
        job(&format!("{AT_THREE}{args}"), &format!("async fn f(slot: Slot) -> Result<(), E> {{ {body} }}"))
    };
    for (by_hand, word, says) in [
        ("f.retry(p).await", "retry", "retries by numbers of its own"),
        ("Retry::spawn(d, f).await", "retry", "healed by the next slot"),
        ("loop { sleep(d).await }", "sleep", "a loop that sleeps is a schedule inside of a job"),
        ("let t = interval(d);", "sleep", "`interval` is a schedule inside of a job"),
        ("JobScheduler::new()", "sleep", "is a schedule inside of a job"),
        ("last_run = clock.now();", "clock", "`last_run` is a cursor in memory"),
        ("last_run = Utc::now();", "clock", "`last_run` is a cursor in memory"),
    ] {
        assert_says(&body("", by_hand), &[says, &format!("allow({word})")]);
        assert_eq!(body("", by_hand).len(), 1, "one mistake, one message: {by_hand}");
        assert!(body(&format!(", allow({word})"), by_hand).is_empty(), "{by_hand}");
    }
    assert!(body("", "schedule::of::<retry::patient>().retry_or_else(ask, fallback).await").is_empty());
    assert_says(&body(", allow(wait)", ""), &["unknown word `wait`", "`clock`, `retry`, `sleep`"]);
}

/// The unit judges its body, whichever attribute stands first.
#[test]
fn a_body_is_judged_once() {
    let unit = "async fn f(slot: Slot, tx: &mut Tx<'_>) -> Result<(), E> { loop { sleep(d).await } }";
    assert!(job(AT_THREE, &format!("#[atomic_unit(retry = a)] {unit}")).is_empty());
    let expanded = crate::atomic_unit::expand(tokens("retry = a, allow(sleep)"), tokens(unit));
    assert!(checked(expand_job(tokens(AT_THREE), expanded)).is_empty());
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
    assert!(job(minutely, JOB)[0].starts_with("`overlap = skip` is needed"), "{:?}", job(minutely, JOB));
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
fn a_registry_still_finds_a_job_with_a_mistake() {
    let text = expand_job(tokens("cron = \"x\""), tokens(JOB)).to_string();
    assert!(text.contains("struct f { }") && text.contains("Job < __App > for f"), "a registry finds it: {text}");
}
