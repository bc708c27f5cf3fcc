//! Retries, sleeping loops, tickers, schedules and requests.

use super::finds;

/// The braces of an expression in its head are not the body of a loop.
#[test]
fn loops_with_braces_in_their_heads() {
    for body in [
        "while let Err(e) = async { go().await }.await { sleep(d).await; }",
        "while match go().await { Ok(_) => false, _ => true } { sleep(d).await; }",
        "while unsafe { X } { sleep(d).await; }",
        "for x in { y() } { sleep(d).await; }",
        "while let Row { id } = next() { sleep(d).await; }",
    ] {
        finds(body, &["sleep sleep"]);
    }
    finds("while x() { y() } sleep(d).await;", &[]);
    finds("for id in ids { tokio::spawn(async move { sleep(jitter).await; warm(id).await }); }", &["spawn spawn"]);
    finds("loop { tokio::spawn(sleep(d)).await; }", &["spawn spawn", "sleep sleep"]);
    finds("loop { spawn(async { loop { sleep(d).await } }); }", &["spawn spawn", "sleep sleep"]);
}

/// What is awaited in place ends with the body.
#[test]
fn what_is_spawned() {
    finds("tokio::spawn(f).await", &["spawn spawn"]);
    finds("task::spawn_blocking(f)", &["spawn spawn_blocking"]);
    finds("task::spawn_blocking(f).await?", &[]);
    finds("set.spawn_blocking(f); let x = h.spawn_blocking(f).await;", &["spawn spawn_blocking"]);
}

#[test]
fn retries() {
    finds("x.retry(p).await", &["retry retry"]);
    finds("a.b().retry::<P>(p)", &["retry retry"]);
    finds("use backon::Retryable;", &["retry backon"]);
    finds("::tryhard::retry_fn(f)", &["retry tryhard"]);
    finds("tokio_retry2::Retry::spawn(d, f)", &["retry tokio_retry2"]);
    finds("f.retry(backon::X::default()).await", &["retry retry"]);
    finds("RetryIf::spawn(d, f)", &["retry RetryIf"]);
    finds("backoff::future::retry(x, f).await", &["retry backoff"]);
    finds("again::retry(f).await", &["retry again"]);
    finds("tower::retry::RetryLayer::new(p)", &["retry tower"]);
    finds("use reqwest_retry::{RetryTransientMiddleware, policies::ExponentialBackoff};", &["retry reqwest_retry"]);
    finds("use exponential_backoff::Backoff;", &["retry exponential_backoff"]);
    for fine in [
        "self.retry = 3;",
        "crate::backoff::next()",
        "let backoff = 3;",
        "retry(x)",
        "x.retry",
        "order.retry()",
        "fn retry(x: u8) {}",
        "let again = 3; self.again()",
    ] {
        finds(fine, &[]);
    }
}

/// `retry` is a crate, and the module that every user of steadfast has.
#[test]
fn the_crate_retry_is_not_the_module_retry() {
    finds("retry::retry(delays, || ping())", &["retry retry"]);
    finds("retry::retry_with_index(delays, |n| ping(n))", &["retry retry"]);
    finds("use retry::delay::{Exponential, jitter};", &["retry retry"]);
    finds("let delays = retry::delay::Fixed::from_millis(100).take(3);", &["retry retry"]);
    for fine in [
        "schedule::of::<retry::patient>()",
        "use crate::retry;",
        "crate::retry::relay::delay(failed, &row)",
        "retry::relay::delay(failed, &row)",
        "retry::delay::delay(failed, &row)",
        "retry::retry::delay(failed, &row)",
        "use retry::contention;",
    ] {
        finds(fine, &[]);
    }
}

#[test]
fn sleeping_loops() {
    for body in [
        "loop { sleep(d).await }",
        "while x { if y { tokio::time::sleep(d).await; } }",
        "for Row { id } in rows { async { sleep(d).await }.await }",
        "while let Some(Row { id }) = next() { sleep(d) }",
        "'a: loop { select! { _ = sleep(d) => {} } }",
        "for _ in 0..3 { std::thread::sleep(d) }",
        "loop { clock.sleep(d).await }",
    ] {
        finds(body, &["sleep sleep"]);
    }
    finds("loop { Timer::after(d).await }", &["sleep Timer"]);
    finds("loop { futures_timer::Delay::new(d).await }", &["sleep Delay"]);
    finds("loop { delay_for(d).await }", &["sleep delay_for"]);

    for fine in [
        "sleep(d).await; loop { g() }",
        "loop { let sleep = 3; }",
        "impl A for B { fn f() { sleep(d) } }",
        "let f: for<'a> fn(&'a u8) = g; { sleep(d) }",
        "loop { fn f() { sleep(d) } }",
        "Timer::after(d).await",
        "while !ready() { thread::park_timeout(d) }",
    ] {
        finds(fine, &[]);
    }
}

#[test]
fn a_ticker_is_one_finding() {
    finds("let mut t = tokio::time::interval(d); loop { t.tick().await; pass() }", &["ticker interval"]);
    finds("let t = interval_at(start, d);", &["ticker interval_at"]);
    finds("IntervalStream::new(interval(d)).for_each(f)", &["ticker IntervalStream"]);
    finds("async_io::Timer::interval(d)", &["ticker Timer"]);
    finds("loop { self.ticks.tick().await; }", &["ticker tick"]);
    finds("loop { select! { _ = t.tick() => pass(), _ = stop() => break } }", &["ticker tick"]);
    finds(
        "fn a() { let t = interval(d); loop { t.tick().await } } fn b() { loop { t.tick().await } }",
        &["ticker interval", "ticker tick"],
    );
    for fine in [
        "builder.interval(d)",
        "Chart::interval(x)",
        "loop { game.tick(); }",
        "self.interval",
        "interval()",
        "tick().await",
    ] {
        finds(fine, &[]);
    }
}

#[test]
fn schedules() {
    finds("use tokio_cron_scheduler::{Job, JobScheduler};", &["schedule tokio_cron_scheduler"]);
    finds("let s = JobScheduler::new().await?;", &["schedule JobScheduler"]);
    finds("clokwerk::Scheduler::new()", &["schedule clokwerk"]);
    // A line that is read is no schedule; what runs by it is a loop that sleeps.
    finds("let s: cron::Schedule = line.parse()?;", &[]);
    finds("for next in s.upcoming(Utc) { sleep(until(next)).await; run() }", &["sleep sleep"]);
}

#[test]
fn requests_that_are_retried() {
    let keyed = "client.post(url).header(\"Idempotency-Key\", key)";
    finds("(|| async { client.post(url).send().await }).retry(p).await", &["retry retry", "post post"]);
    finds("Retry::spawn(d, || client.patch(url).send()).await", &["retry Retry", "post patch"]);
    finds("tryhard::retry_fn(|| client.post(url).send()).retries(3)", &["retry tryhard", "post post"]);
    finds("while client.post(url).send().is_err() { sleep(d) }", &["sleep sleep", "post post"]);
    finds("loop { if client.post(url).send().is_ok() { break } sleep(d) }", &["sleep sleep", "post post"]);
    finds("for _ in 0..3 { client.post(url).send(); sleep(d) }", &["sleep sleep", "post post"]);
    finds("loop { loop { client.post(url).send(); sleep(d) } sleep(d) }", &["sleep sleep", "post post", "sleep sleep"]);
    // One request for each item, paced: none of them is sent twice.
    finds("for mail in mails { client.post(url).send(); sleep(d) }", &["sleep sleep"]);
    finds(&format!("Retry::spawn(d, || {keyed}.send()).await"), &["retry Retry"]);
    finds(&format!("loop {{ {keyed}.send(); sleep(d) }}"), &["sleep sleep"]);
    finds("(|| client.get(url)).retry(p)", &["retry retry"]);
    finds("router.post(handler)", &[]);
}

#[test]
fn what_only_some_bodies_may_not_have() {
    finds(
        "tokio::spawn(f); set.spawn_local(f); JoinSet::new()",
        &["spawn spawn", "spawn spawn_local", "spawn JoinSet"],
    );
    finds("pool.begin().await; pool.acquire()", &["begin begin", "begin acquire"]);
    finds("steadfast::policies! { }", &["policies policies"]);
    finds("chrono::Utc::now(); Instant::now()", &["clock Utc"]);
}

#[test]
fn what_nests_without_end_is_left_alone() {
    let deep = format!("{}x.retry(p){}", "(".repeat(5_000), ")".repeat(5_000));
    finds(&deep, &[]);
}
