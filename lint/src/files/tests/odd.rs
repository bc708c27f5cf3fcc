//! What cannot be read is said, and never skipped.

use super::{Package, says};
use crate::Lint;

#[test]
fn what_is_not_made_of_tokens_is_named() {
    let package = Package::new(&[("src/lib.rs", "fn f() {\n    let a = \"open;\n}"), ("src/b.rs", "fn f() { ( }")]);
    says(&package.report(), &["src/lib.rs:2:13: is not made of Rust's tokens"]);
    says(&package.report(), &["src/b.rs:1:", "is not made of Rust's tokens"]);
    let allowed = package.lint().allow("src", "templates").report();
    assert!(allowed.is_clean(), "{allowed}");
}

#[test]
fn what_is_not_text_is_named() {
    let package = Package::new(&[]);
    package.write("src/lib.rs", b"fn f() { \"\xff\" }");
    says(&package.report(), &["src/lib.rs: is not UTF-8"]);
}

#[test]
fn a_package_without_sources_is_named() {
    says(&Package::new(&[]).report(), &["is no folder, so no source was looked at"]);
    says(&Lint::new("no/such/package").report(), &["`no/such/package/src` is no folder"]);
    let package = Package::new(&[("lib/lib.rs", "use backon::X;")]);
    assert_eq!(package.lint().folder("lib").report().findings.len(), 1);
}

#[test]
fn what_nests_too_deep_is_named() {
    let deep = format!("fn f() {{ {}x.retry(p){} }}", "(".repeat(5_000), ")".repeat(5_000));
    says(&Package::new(&[("src/lib.rs", &deep)]).report(), &["src/lib.rs: nests too deep"]);
    says(&Package::new(&[("src/lib.rs", &deep)]).lint().every_job_listed().report(), &["src/lib.rs: nests too deep"]);
    let pattern = format!("macro_rules! m {{ ({}$x:ident{}) => {{ }} }}", "(".repeat(5_000), ")".repeat(5_000));
    says(&Package::new(&[("src/lib.rs", &pattern)]).report(), &["src/lib.rs: nests too deep"]);
}

#[test]
fn marks_shebangs_and_line_ends() {
    let package = Package::new(&[
        ("src/mark.rs", "\u{feff}use backon::X;"),
        ("src/main.rs", "#!/usr/bin/env -S it's \\\"cargo\nuse backon::X;"),
        ("src/inner.rs", "#![allow(unused)]\r\nuse backon::X;\r\n"),
        ("src/empty.rs", ""),
        ("src/not_a_source.txt", "use backon::X; \""),
    ]);
    let report = package.report();
    assert!(report.errors.is_empty(), "{report}");
    let places: Vec<_> = report.findings.iter().map(|found| format!("{}:{}", found.path(), found.line())).collect();
    assert_eq!(places, ["src/inner.rs:2", "src/main.rs:2", "src/mark.rs:1"]);
}

#[cfg(unix)]
#[test]
fn links_that_lead_in_a_circle_or_nowhere() {
    use std::os::unix::fs::symlink;
    let package = Package::new(&[("src/a/b.rs", "use backon::X;"), ("elsewhere/c.rs", "use backon::X;")]);
    let at = |path: &str| package.0.path().join(path);
    symlink(at("src"), at("src/a/circle")).expect("a link");
    symlink(at("elsewhere"), at("src/linked")).expect("a link");
    let report = package.report();
    assert_eq!(report.findings.len(), 2, "each file once, the linked one too: {report}");
    symlink("user@host.4711", at("src/.#b.rs")).expect("a link, as an editor makes one");
    assert!(package.report().errors.is_empty());
    symlink(at("gone.rs"), at("src/dangling.rs")).expect("a link");
    says(&package.report(), &["src/dangling.rs: cannot be read"]);
}
