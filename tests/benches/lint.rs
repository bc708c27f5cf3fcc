//! How many lines a second the lint looks at: over the sources of all packages that this workspace is built from.
//!
//! `cargo bench -p steadfast-tests --bench lint`. Read beside it what reading the files alone costs. Nothing is asserted.

use std::{fs, path::Path, time::Instant};

use steadfast_lint::Lint;

#[path = "../lint/packages.rs"]
mod packages;

/// The lines of the `.rs` files below a folder.
fn lines(folder: &Path) -> usize {
    let Ok(entries) = fs::read_dir(folder) else { return 0 };
    let paths = entries.filter_map(|entry| Some(entry.ok()?.path()));
    paths
        .map(|path| match path.extension() {
            _ if path.is_dir() => lines(&path),
            Some(extension) if extension == "rs" => {
                fs::read(&path).map_or(0, |text| text.split(|byte| *byte == b'\n').count())
            }
            _ => 0,
        })
        .sum()
}

fn main() {
    let folders: Vec<_> = packages::folders().into_values().filter(|folder| folder.join("src").is_dir()).collect();
    let start = Instant::now();
    let total: usize = folders.iter().map(|folder| lines(&folder.join("src"))).sum();
    let reading = start.elapsed();
    let start = Instant::now();
    let (mut findings, mut errors) = (0, Vec::new());
    for folder in &folders {
        let report = Lint::new(folder).report();
        findings += report.findings.len();
        errors.extend(report.errors);
    }
    let looking = start.elapsed();
    let rate = |seconds: f64| f64::from(u32::try_from(total).expect("fewer lines than that")) / seconds;
    println!("{} packages, {total} lines, {findings} findings", folders.len());
    println!("reading alone  {:>12.0} lines/s  {reading:>8.2?}", rate(reading.as_secs_f64()));
    println!("steadfast-lint {:>12.0} lines/s  {looking:>8.2?}", rate(looking.as_secs_f64()));
    for error in errors {
        println!("not looked at: {error}");
    }
}
