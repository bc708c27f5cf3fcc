//! `docs/reliability.md` names a test for each failure: each of them must be there.

use std::{
    fs,
    path::{Path, PathBuf},
};

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The text of every source file of the workspace's own folders.
fn sources() -> String {
    let mut folders: Vec<_> = ["macros/src", "runtime/src", "tests"].map(|folder| repository().join(folder)).into();
    let mut text = String::new();
    while let Some(folder) = folders.pop() {
        for path in fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()) {
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                text += &fs::read_to_string(&path).unwrap();
            }
        }
    }
    text
}

/// The names in the last column of the tables.
fn named(page: &str) -> Vec<&str> {
    let rows = page.lines().filter(|line| line.starts_with("| ") && !line.starts_with("| symptom"));
    let tests = rows.map(|row| row.trim_end_matches([' ', '|']).rsplit(" | ").next().unwrap());
    tests.flat_map(|tests| tests.split('`').skip(1).step_by(2)).collect()
}

#[test]
fn every_test_of_the_track_record_is_there() {
    let page = fs::read_to_string(repository().join("docs/reliability.md")).unwrap();
    let (named, sources) = (named(&page), sources());
    assert!(named.len() > 50, "the tables are not where they were: {named:?}");
    let gone: Vec<_> = named
        .into_iter()
        .filter(|name| {
            if let Some(case) = name.strip_prefix("ui/") {
                return !repository().join(format!("tests/ui/{case}.rs")).exists();
            }
            let function = name.rsplit("::").next().unwrap();
            !sources.contains(&format!("fn {function}(")) && !sources.contains(&format!("mod {function};"))
        })
        .collect();
    assert!(gone.is_empty(), "docs/reliability.md names tests that are not there: {gone:?}");
}
