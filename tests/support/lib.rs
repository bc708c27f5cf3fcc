//! What the tests share: a database of their own per test, a proxy that loses what it is told to lose, a shop to declare things in.

pub mod chaos;
pub mod library;
pub mod mysql;
pub mod postgres;
pub mod proxy;
pub mod shop;
pub mod spare;
pub mod sped_up;
pub mod sqlite;
pub mod tally;

use std::{
    process,
    sync::atomic::{AtomicU32, Ordering},
    thread,
    time::{SystemTime, UNIX_EPOCH},
};

/// Unlike any other of a server: tests run as processes side by side.
fn fresh_name() -> String {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    let nanos = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_nanos());
    format!("steadfast_{}_{count}_{nanos:x}", process::id())
}

/// Sends a process that the caller has started a signal of that name: `KILL`, `STOP`, …
///
/// # Panics
/// When there is no such process.
pub async fn signal(pid: u32, name: &str) {
    let sent = tokio::process::Command::new("sh").args(["-c", &format!("kill -{name} {pid}")]).status().await;
    assert!(sent.expect("sh is there").success(), "SIG{name} to a process that is not there");
}

/// Ends what a `Drop` has to end, best effort: the servers do not outlive the run. On a thread of its own, because a test's
/// runtime may have one thread only.
fn clean_up(work: impl Future<Output = sqlx::Result<()>> + Send + 'static) {
    let working = thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        runtime.is_ok_and(|runtime| runtime.block_on(work).is_ok())
    });
    let _ = working.join();
}
