//! `docs/reliability.md` names a test for each failure: each of them must be there.

use std::fs;

use crate::repository::{root, sources};

/// The names in the last column of the tables.
fn named(page: &str) -> Vec<&str> {
    let rows = page.lines().filter(|line| line.starts_with("| ") && !line.starts_with("| symptom"));
    let tests = rows.map(|row| row.trim_end_matches([' ', '|']).rsplit(" | ").next().unwrap());
    tests.flat_map(|tests| tests.split('`').skip(1).step_by(2)).collect()
}

#[test]
fn every_test_of_the_track_record_is_there() {
    let page = fs::read_to_string(root().join("docs/reliability.md")).unwrap();
    let named = named(&page);
    let sources: String =
        ["macros/src", "runtime/src", "tests"].into_iter().flat_map(sources).map(|(_, text)| text).collect();
    assert!(named.len() > 50, "the tables are not where they were: {named:?}");
    let gone: Vec<_> = named
        .into_iter()
        .filter(|name| {
            if let Some(case) = name.strip_prefix("ui/") {
                return !root().join(format!("tests/ui/{case}.rs")).exists();
            }
            if let Some((file, title)) = name.strip_prefix("worker/").and_then(|name| name.split_once(": ")) {
                let tests = fs::read_to_string(root().join(format!("tests/worker/{file}.test.mjs")));
                return !tests.is_ok_and(|tests| tests.contains(&format!("\"{title}")));
            }
            let function = name.rsplit("::").next().unwrap();
            !sources.contains(&format!("fn {function}(")) && !sources.contains(&format!("mod {function};"))
        })
        .collect();
    assert!(gone.is_empty(), "docs/reliability.md names tests that are not there: {gone:?}");
}
