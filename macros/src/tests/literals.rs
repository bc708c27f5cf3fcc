//! What is too long is refused before it is read, and nothing but the tokens is.

use std::{fs, path::Path};

use super::{assert_says, checked, tokens};
use crate::{atomic_unit, classify, job, policies, poll, provider_call, repository};

/// A text of a mebibyte, with escapes that take long to undo.
fn huge() -> String {
    format!("{:?}", "\u{feff}m5".repeat(1 << 17))
}

#[test]
fn no_literal_of_a_mebibyte_is_read() {
    let huge = huge();
    assert!(huge.len() > 1 << 20, "{}", huge.len());
    let unit = "async fn f(tx: &mut Tx<'_>) -> Result<(), E> { g() }";
    let job_fn = "async fn f(slot: Slot) -> Result<(), E> { g() }";
    let mut all = Vec::new();
    for key in [
        "retry",
        "pool",
        "idempotent",
        "in_doubt",
        "fence",
        "isolation",
        "begin",
        "attempt_timeout",
        "crate",
        "unknown",
    ] {
        all.push((key.to_owned(), atomic_unit::expand(tokens(&format!("{key} = {huge}")), tokens(unit))));
    }
    for args in [
        format!("allow({huge})"),
        format!("idempotent = client_id({huge})"),
        huge.clone(),
        format!("read_only = {huge}"),
    ] {
        all.push((args[..8].to_owned(), atomic_unit::expand(tokens(&args), tokens(unit))));
    }
    for key in
        ["cron", "timeout", "exclusive", "name", "overlap", "heartbeat", "on_shutdown", "catch_up", "splay", "allow"]
    {
        all.push((key.to_owned(), job::expand(tokens(&format!("{key} = {huge}")), tokens(job_fn))));
    }
    for key in ["every", "timeout", "name"] {
        all.push((key.to_owned(), poll::expand(tokens(&format!("{key} = {huge}")), tokens(job_fn))));
    }
    all.push(("retry".to_owned(), provider_call::expand(tokens(&format!("retry = {huge}")), tokens(job_fn))));
    all.push(("allow".to_owned(), repository::expand(tokens(&format!("allow({huge})")), tokens(unit))));
    for item in [
        "policy a = capped(base = LONG, cap = LONG, retries = LONG, jitter = LONG).on(contention);",
        "policy a = capped(base = \"1s\", cap = \"2s\", retries = 3).on(LONG);",
        "policy a = capped(base = \"1s\", cap = \"2s\", retries = 3).on(contention).budget(ratio = LONG);",
        "policy a = capped(base = \"1s\", cap = \"2s\", retries = 3).on(contention).on_retry(LONG);",
        "policy a = durable(base = LONG, cap = LONG, attempts = LONG);",
        "schedule a = spaced(LONG);",
        "schedule a = recurs(LONG);",
        "schedule a = exponential(base = LONG, cap = LONG);",
        "schedule a = spaced(\"1s\").up_to(LONG);",
        "schedule a = spaced(\"1s\").jittered(LONG);",
    ] {
        all.push((item.to_owned(), policies::expand(tokens(&item.replace("LONG", &huge)))));
    }
    let variant = format!("enum E {{ #[classify(rate_limited, retry_after = {huge})] A(X) }}");
    all.push(("retry_after".to_owned(), classify::expand(tokens(&variant))));
    for (what, expansion) in all {
        let messages = checked(expansion);
        assert!(!messages.is_empty(), "{what}");
        for message in messages {
            assert!(message.len() < 1_000, "{what}: {} bytes", message.len());
        }
    }
}

#[test]
fn a_long_literal_is_told_its_length() {
    let name = "a".repeat(257);
    let args = format!("cron = \"0 3 * * *\", timeout = \"5m\", name = \"{name}\"");
    let messages = checked(job::expand(tokens(&args), tokens("async fn f(slot: Slot) -> Result<(), E> { g() }")));
    assert_says(&messages, &["`name` takes at most 256 bytes", "has 257", "write a shorter one"]);
    // Its key is not missing as well.
    assert_eq!(messages.len(), 1, "{messages:?}");
}

#[test]
fn a_list_of_a_cron_line_has_sixty_items_at_most() {
    let line = format!("{} 3 * * *", vec!["0"; 61].join(","));
    let args = format!("cron = \"{line}\", timeout = \"5m\"");
    let messages = checked(job::expand(tokens(&args), tokens("async fn f(slot: Slot) -> Result<(), E> { g() }")));
    assert_says(&messages, &["61 items", "at most 60", "write ranges"]);
}

/// A build must not depend on more than its sources.
#[test]
fn no_macro_reads_a_file_the_environment_or_a_clock() {
    fn check(folder: &Path, count: &mut usize) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                if !path.ends_with("tests") {
                    check(&path, count);
                }
                continue;
            }
            *count += 1;
            let text = fs::read_to_string(&path).unwrap();
            // Code alone: messages and documentation may speak of them.
            let code = text.lines().filter(|line| !line.trim_start().starts_with("//"));
            for line in code {
                for word in [
                    "std::fs",
                    "std::env",
                    "std::net",
                    "std::process",
                    "env!(",
                    "include_str!(",
                    "Instant::",
                    "fs::",
                    "env::",
                ] {
                    assert!(!line.contains(word), "{}: {line}", path.display());
                }
            }
        }
    }
    let mut count = 0;
    check(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), &mut count);
    assert!(count > 50, "{count} files");
}
