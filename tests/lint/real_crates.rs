//! The lint on crates that others wrote: every finding was looked at, and the list says what became of it.

use std::{collections::BTreeSet, fs, path::Path, thread};

use steadfast_lint::{Finding, Kind, Lint};

use super::{
    packages,
    reviewed::{REVIEWED, Verdict},
};

/// The crates that were looked at as a whole. Their versions are those of `Cargo.lock`.
const CRATES: [&str; 11] = [
    "axum",
    "backon",
    "chrono",
    "flume",
    "reqwest",
    "sqlx-core",
    "tokio",
    "tokio-cron-scheduler",
    "tokio-retry2",
    "tokio-stream",
    "tower",
];

/// Crate, file, the text of the line, and the kind: a version that moves a line changes nothing.
type Place = (String, String, String, Kind);

/// The findings in one crate.
fn look(name: &str, folder: &Path) -> Vec<Place> {
    let report = Lint::new(folder).report();
    assert!(report.errors.is_empty(), "{name}: {report}");
    let place = |finding: &Finding| {
        let text = fs::read_to_string(folder.join(finding.path())).unwrap();
        let line = text.lines().nth(finding.line() - 1).unwrap().trim().to_owned();
        (name.to_owned(), finding.path().to_owned(), line, finding.kind())
    };
    report.findings.iter().map(place).collect()
}

#[test]
fn every_finding_in_real_crates_was_reviewed() {
    let folders = packages::folders();
    let folder = |name| folders.get(name).unwrap_or_else(|| panic!("{name} is no package of this workspace"));
    let found: BTreeSet<Place> = thread::scope(|scope| {
        let looks: Vec<_> = CRATES.iter().map(|name| scope.spawn(|| look(name, folder(*name)))).collect();
        looks.into_iter().flat_map(|look| look.join().expect("a crate that can be looked at")).collect()
    });
    let reviewed: BTreeSet<Place> = REVIEWED
        .iter()
        .flat_map(|of| of.lines.iter().map(|line| (of.name.into(), of.file.into(), (*line).into(), of.kind)))
        .collect();
    let unknown: Vec<_> = found.difference(&reviewed).collect();
    assert!(unknown.is_empty(), "look at these, and say in `reviewed.rs` what they are: {unknown:#?}");
    let gone: Vec<_> = reviewed.difference(&found).collect();
    assert!(gone.is_empty(), "these are reviewed and no longer found: {gone:#?}");
}

/// What a user would see: most of the findings are what the lint is for.
#[test]
fn the_list_is_honest() {
    let lines = |verdict| REVIEWED.iter().filter(|of| of.verdict == verdict).map(|of| of.lines.len()).sum::<usize>();
    for of in &REVIEWED {
        assert!(of.reason.len() > 30 && !of.lines.is_empty(), "{} {} has no reason", of.name, of.file);
    }
    assert!(lines(Verdict::ByHand) > lines(Verdict::Mistaken), "more is mistaken than found");
}
