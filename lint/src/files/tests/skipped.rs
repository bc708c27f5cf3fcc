//! What is judged in a file, and what is not.

use super::{Package, found};

const LOOP: &str = "loop { sleep(d).await }";

#[test]
fn each_finding_has_its_place() {
    let text = "\
use backon::Retryable;

async fn send() {
    let mut ticks = tokio::time::interval(d);
    // ä: columns are characters
    /* ä */ loop { sleep(d).await }
    self.last_run = Utc::now();
    JobScheduler::new();
    Retry::spawn(d, || client.post(url)).await
}
";
    let expected = [
        "1:5 retry",
        "4:34 ticker",
        "6:20 sleeping loop",
        "7:10 last run",
        "8:5 schedule",
        "9:5 retry",
        "9:31 unkeyed request",
    ];
    assert_eq!(found(text), expected);
}

#[test]
fn a_finding_says_where_what_and_how_it_is_mended() {
    let report = Package::new(&[("src/mail/relay.rs", &format!("fn f() {{\n    {LOOP}\n}}"))]).report();
    let line = report.to_string();
    assert!(
        line.starts_with("src/mail/relay.rs:2:12: a loop that sleeps, by `sleep`, is a retry or a schedule by hand; "),
        "{line}"
    );
}

#[test]
fn what_the_macros_have_judged_is_theirs() {
    for attribute in [
        "#[atomic_unit(retry = contention, allow(sleep))]",
        "#[steadfast::job(cron = \"0 3 * * *\", timeout = \"5m\", allow(sleep))]",
        "#[poll(every = \"1s\", timeout = \"5m\", allow(sleep))]",
        "#[provider_call(retry = provider)]",
        "#[doc = \"x\"] #[cfg_attr(feature = \"x\", atomic_unit(retry = never))]",
    ] {
        let text = format!(
            "{attribute}\n/// Says.\npub async fn f<A, B>(tx: &mut Tx<'_>) -> Result<A, B> {{ {LOOP} }}\nfn g() {{ {LOOP} }}"
        );
        assert_eq!(found(&text), ["4:17 sleeping loop"], "{attribute}");
    }
    assert_eq!(found(&format!("#[repository] impl R {{ fn f() {{ {LOOP} }} }}")), [""; 0]);
    assert_eq!(found(&format!("#[other::job] fn f() {{ {LOOP} }}")).len(), 1);
}

#[test]
fn tests_are_not_judged() {
    for skipped in [
        "#[cfg(test)] mod tests { fn f() { LOOP } }",
        "#[cfg(all(test, feature = \"x\"))] fn f() { LOOP }",
        "#[cfg(any(test, all(test, unix)))] impl R { fn f() { LOOP } }",
        "#[test] fn f() { LOOP }",
        "#[tokio::test(flavor = \"multi_thread\")] async fn f() { LOOP }",
        "mod a { #![cfg(test)] fn f() { LOOP } }",
        "fn f() { #[cfg(test)] { LOOP } }",
        "#[cfg(test)] use backon::{Retryable};",
    ] {
        assert_eq!(found(&skipped.replace("LOOP", LOOP)), [""; 0], "{skipped}");
    }
    for judged in [
        "#[cfg(not(test))] fn f() { LOOP }",
        "#[cfg(any(test, feature = \"x\"))] fn f() { LOOP }",
        "#[cfg(feature = \"test\")] fn f() { LOOP }",
        "#[cfg(test)] use x; fn f() { LOOP }",
        "match x { #[cfg(test)] A => 1, _ => { LOOP } }",
    ] {
        assert_eq!(found(&judged.replace("LOOP", LOOP)).len(), 1, "{judged}");
    }
}

#[test]
fn files_of_test_modules_are_not_judged() {
    let package = Package::new(&[
        ("src/lib.rs", "#[cfg(test)] mod tests; mod a; mod b { #[cfg(test)] mod c; }"),
        ("src/tests.rs", "mod deeper; use backon::X;"),
        ("src/tests/deeper.rs", "use backon::X;"),
        ("src/a.rs", "#[cfg(test)] #[path = \"a_tests.rs\"] mod tests; #[cfg(test)] mod more;"),
        ("src/a_tests.rs", "use backon::X;"),
        ("src/a/more.rs", "use backon::X;"),
        ("src/b/c.rs", "use backon::X;"),
        ("src/whole.rs", "#![cfg(test)]\nuse backon::X;"),
        ("src/judged/tests.rs", "use backon::X;"),
        ("tests/it.rs", "use backon::X;"),
    ]);
    let report = package.report();
    assert_eq!(report.to_string().lines().count(), 1, "{report}");
    assert_eq!(report.findings[0].path(), "src/judged/tests.rs");
}

#[test]
fn comments_texts_and_patterns_are_not_judged() {
    let text = format!(
        "//! {LOOP}\n/// {LOOP}\nfn f() {{ /* {LOOP} */ let a = \"{LOOP}\"; let b = r#\"{LOOP}\"#; }} // {LOOP}\n\
         macro_rules! m {{ (loop {{ sleep($d:expr) }}) => {{ g($d) }}; }}"
    );
    assert_eq!(found(&text), [""; 0]);
    assert_eq!(
        found("macro_rules! m { ($d:expr) => { loop { sleep($d).await } }; }").len(),
        1,
        "what a macro writes is judged"
    );
}

#[test]
fn a_module_is_not_the_crate_of_its_name() {
    assert_eq!(found("mod backoff; pub use backoff::*; fn f() { backoff::next() }"), [""; 0]);
    assert_eq!(found("pub use backoff::*;").len(), 1);
}

#[test]
fn a_named_retry_is_none_by_hand() {
    assert_eq!(found("fn f() { schedule::of::<retry::patient>().retry_or_else(ask, fallback) }"), [""; 0]);
}
