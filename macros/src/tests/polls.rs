//! `#[poll]`

use super::{assert_says, checked, expansion, tokens};
use crate::poll::expand as expand_poll;

fn poll(args: &str, item: &str) -> Vec<String> {
    checked(expand_poll(tokens(args), tokens(item)))
}

const POLL: &str = "async fn f(db: &SqlitePool, clock: &JobClock) -> Result<Tick, E> { body(db).await }";
const A_SECOND: &str = "every = \"1s\", timeout = \"30s\"";

#[test]
fn keys_are_answered_by_name() {
    for (key, parts) in [
        ("exclusive", "holds no lease"),
        ("heartbeat", "holds no lease"),
        ("on_shutdown = hand_back", "holds no lease"),
        ("catch_up = \"1h\"", "has no slots"),
        ("splay = \"5s\"", "has no slots"),
        ("cron = \"* * * * *\"", "has no slots"),
        ("overlap = skip", "never overlap"),
        ("retry = a", "put the retry on the unit"),
        ("backoff = x", "doubles up to a minute"),
        ("nme = \"x\"", "did you mean `name`"),
    ] {
        assert_says(&poll(&format!("{A_SECOND}, {key}"), POLL), &[parts]);
    }
    for once in ["cron = \"* * * * *\"", "interval = \"1s\"", "\"1s\"", "evry = \"1s\""] {
        let all = poll(&format!("{once}, timeout = \"30s\""), POLL);
        assert_eq!(all.len(), 1, "`every` is not missing as well: {all:?}");
    }
}

#[test]
fn times_of_polls() {
    let says = |args: &str, parts: &[&str]| assert_says(&poll(args, POLL), parts);
    says("timeout = \"30s\"", &["missing `every`"]);
    says("every = \"1s\"", &["missing `timeout`"]);
    says("every = \"0s\", timeout = \"30s\"", &["`every` is zero"]);
    says("every = \"61s\", timeout = \"30s\"", &["at most 1 min", "write a job"]);
    says("every = \"1s\", timeout = \"0s\"", &["`timeout` is zero"]);
    says("every = \"1s\", timeout = \"901s\"", &["at most 15 min"]);
    says("every = 1, timeout = \"30s\"", &["takes a duration"]);
    assert!(poll("every = \"1m\", timeout = \"15m\"", POLL).is_empty());
}

#[test]
fn shapes_of_polls() {
    let says = |item: &str, parts: &[&str]| assert_says(&poll(A_SECOND, item), parts);
    says("fn f() -> Result<Tick, E> { g() }", &["is an `async fn`"]);
    says("async fn f() { g() }", &["returns a `Result`"]);
    says("async fn f(&self) -> Result<Tick, E> { g() }", &["free function"]);
    says("async fn f<T>(t: &T) -> Result<Tick, E> { g() }", &["no generic parameters"]);
    says("async fn f(slot: Slot) -> Result<Tick, E> { g() }", &["has no slot"]);
    says("async fn f(slot: &Slot) -> Result<Tick, E> { g() }", &["has no slot"]);
    says("async fn f(lease: &Lease) -> Result<Tick, E> { g() }", &["holds no lease"]);
    says("async fn f(db: Db) -> Result<Tick, E> { g() }", &["a poll takes", "write `&Db`"]);
    says("async fn f(db: &mut Db) -> Result<Tick, E> { g() }", &["a poll shares", "not by `&mut`"]);
    says("async fn f(tx: &mut Tx<'_>) -> Result<Tick, E> { g() }", &["a poll has no transaction"]);
    says("async fn f(#[cfg(x)] db: &Db) -> Result<Tick, E> { g() }", &["`#[cfg(…)] #[poll(…)]`"]);
}

#[test]
fn bodies_of_polls() {
    let body = |args: &str, body: &str| {
        poll(&format!("{A_SECOND}{args}"), &format!("async fn f() -> Result<Tick, E> {{ {body} }}"))
    };
    for (by_hand, word, says) in [
        ("f.retry(p).await", "retry", "a failed tick is followed by the next one"),
        ("loop { sleep(d).await }", "sleep", "return `Tick::More` or `Tick::Idle`"),
        ("let t = interval(d);", "sleep", "`interval` is a schedule inside of a poll"),
        ("last_tick = Utc::now();", "clock", "ask for the rows that are due"),
    ] {
        assert_says(&body("", by_hand), &[says, &format!("allow({word})")]);
        assert!(body(&format!(", allow({word})"), by_hand).is_empty(), "{by_hand}");
    }
    assert!(body("", "let late = Utc::now() - sent_at;").is_empty(), "a poll may look at the clock");
}

#[test]
fn conditions_stay_with_the_poll() {
    let item = format!("#[cfg(x)] {POLL}");
    let text = expansion(expand_poll(tokens(A_SECOND), tokens(&item)));
    assert_eq!(text.matches("# [cfg (x)]").count(), 5, "function, keys, type, poll and entry: {text}");
}
