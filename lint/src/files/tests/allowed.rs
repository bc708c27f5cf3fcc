//! The list of what is allowed.

use super::{Package, says};
use crate::Kind;

fn package() -> Package {
    Package::new(&[
        ("src/lib.rs", "mod old; mod fine;"),
        ("src/fine.rs", ""),
        ("src/old/a.rs", "use backon::X; fn f() { let t = interval(d); }"),
        ("src/old/b.rs", "use backon::X;"),
        ("src/older.rs", "use backon::X;"),
    ])
}

#[test]
fn a_path_with_its_reason() {
    let report = package().lint().allow("src/old", "goes away").allow("./src/older.rs", "goes away").report();
    assert!(report.is_clean(), "{report}");
    let report = package().lint().allow("src/old/", "goes away").report();
    assert_eq!(report.findings.len(), 1, "a folder is not the start of a name: {report}");
    let report = package().lint().allow_kind("src/old/a.rs", Kind::Ticker, "draws").report();
    assert_eq!(report.findings.len(), 3, "{report}");
    assert!(report.errors.is_empty(), "{report}");
}

#[test]
fn a_list_that_rots_is_reported() {
    let report = package().lint().allow("src/old", " ").report();
    says(&report, &["`src/old` is allowed without a reason; say why"]);
    says(&package().lint().allow("src/gone.rs", "x").report(), &["`src/gone.rs`", "there is no such source file"]);
    says(&package().lint().allow("src/fine.rs", "x").report(), &["`src/fine.rs`", "nothing is found there"]);
    let report = package().lint().allow_kind("src/old/b.rs", Kind::Ticker, "x").report();
    says(&report, &["`src/old/b.rs` is allowed a ticker, and none is found there"]);
}

#[test]
#[should_panic(expected = "src/old/a.rs:1:5: `backon` retries by numbers of its own")]
fn an_assertion_says_all_of_it() {
    package().lint().assert();
}
