//! In-memory cursors: what is new "since the last run".

use super::finds;

#[test]
fn a_cursor_that_is_moved_to_the_clock() {
    for body in [
        "let since = last_run; last_run = Utc::now();",
        "self.last_run = SystemTime::now();",
        "*self.last_run.lock().unwrap() = Some(Utc::now());",
        "*last_run = clock.now();",
        "let since = mem::replace(&mut last_run, chrono::Utc::now());",
        "let since = std::mem::replace(&mut self.last_run, clock.now());",
        "let since = last_run.swap(clock.now().timestamp(), Ordering::SeqCst);",
        "let now = clock.now(); last_run.store(now, Relaxed);",
        "let since = mem::replace(&mut *last_run.lock().unwrap(), Utc::now());",
        "if late { warn() } let mut now: Time = clock.now(); last_run = now;",
        "last_run = slot;",
    ] {
        finds(body, &["cursor last_run"]);
    }
    finds("LAST_TICK_MS.store(Utc::now().timestamp_millis(), Relaxed)", &["cursor LAST_TICK_MS"]);
    finds("loop { close(since).await; since = Utc::now(); }", &["cursor since"]);
    // The clock belongs to the cursor, another one does not.
    finds("last_sync = Utc::now(); let today = Utc::now();", &["cursor last_sync", "clock Utc"]);
    finds("let now = Utc::now(); last_check = now;", &["clock Utc", "cursor last_check"]);
}

#[test]
fn what_is_no_cursor_in_memory() {
    for fine in [
        "let last_run = row.last_run;",
        "info!(since = Utc::from(x), \"closed\"); println!(\"{since}\", since = clock.now());",
        "info!(last_run = ?clock.now(), \"closed\")",
        "let since; if full { since = slot.unix_seconds() - 86400; } else { since = 0; }",
        "row.last_run = Set(clock.now());",
        "Row { last_run: clock.now() }",
        "fn f(last_run: Time) { g(clock.now()) }",
        "|last_run: Time| late = clock.now() - last_run",
        "last_tick = Instant::now();",
        "if last_run == now { g(clock.now()) }",
        "last_run += step;",
        "if let Some(x) = clock.now() {} last_run = Some(row.time);",
        "last_run = since;",
        "self.last_seen = clock.now();",
        "match x { last_run => g(clock.now()) }",
        "fn f() { let now = clock.now(); } fn g() { last_run = now; }",
    ] {
        finds(fine, &[]);
    }
    finds("let mut last_run = Utc::now();", &["clock Utc"]);
    finds("static LAST_RUN: Mutex<Time> = Mutex::new(Time::new());", &[]);
}
