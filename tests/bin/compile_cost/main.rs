//! What the macros cost to compile: the same functions as units and jobs, and without us.
//!
//! `cargo run --release -p steadfast-tests --bin compile_cost`: some minutes, no network. `-- --rounds N` measures more often than three times.
//!
//! Two sets of crates, with the same dependencies: 200 functions of two statements in a transaction on SQLite, and 50 jobs with a slot and
//! a pool, in a list. Of each set one crate is ours; its peers have the same bodies in a transaction that they begin themselves: plain
//! functions, the same under a macro that changes nothing, under `#[tracing::instrument]`, and with a retry loop written by hand. Every
//! future is made a `dyn Future` within its crate, as an application would poll it: nothing is left uncompiled. No crate is linked.
//!
//! Measured are `cargo build` and `cargo check` of that one crate as a user runs them, debug and incremental: from clean, and after one
//! number in one body has changed. The crates take turns, and the best of the rounds counts: whatever else the machine does only ever
//! adds. Beside the seconds on the clock stands the time of the processors, which depends less on the company. The ratios are to
//! `#[tracing::instrument]`.
//!
//! After that, each from an empty folder: the crate of the macros beside an empty one on the same `syn`, and the runtime without a database.
//!
//! It ends with 1 when a figure that we promise (`promises.rs`) is missed in both times.

mod crates;
mod functions;
mod jobs;
mod measure;
mod promises;
mod report;

use std::{env, process::ExitCode};

use crates::{Variant, Workspace};
use measure::{Cost, Costs};

/// What is measured of a crate, in this order: each needs what the one before has left.
const STEPS: [&str; 4] = ["build", "build, one change", "check", "check, one change"];

fn main() -> ExitCode {
    let rounds = rounds();
    let workspace = Workspace::create().expect("a workspace in a temporary folder");
    println!("dependencies: {}", warm(&workspace));
    println!("cargo with nothing to do: {}\n", workspace.cargo(&["build", "--package", crates::UNITS[0].package()]));
    let mut missed = Vec::new();
    for (title, set) in [("200 units", &crates::UNITS[..]), ("50 jobs", &crates::JOBS[..])] {
        let costs = interleaved(&workspace, set, rounds);
        report::set(title, set, &costs);
        missed.extend(promises::of_a_set(title, set, &costs));
    }
    let [syn, macros, runtime] = crates::FROM_CLEAN.map(|package| from_clean(&workspace, package, rounds.min(2)));
    report::from_clean(syn, macros, runtime);
    missed.extend(promises::from_clean(syn, macros, runtime));
    for missed in &missed {
        println!("MISSED: {missed}");
    }
    if missed.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn rounds() -> usize {
    let mut words = env::args().skip_while(|word| word != "--rounds").skip(1);
    words.next().map_or(3, |number| number.parse().expect("a number of rounds"))
}

/// Compiles what the crates depend on, for both commands: what is measured is a crate alone.
fn warm(workspace: &Workspace) -> Cost {
    let packages: Vec<_> =
        crates::UNITS.iter().chain(&crates::JOBS).flat_map(|variant| ["--package", variant.package()]).collect();
    workspace.cargo(&[&["check"], &packages[..]].concat());
    workspace.cargo(&[&["build"], &packages[..]].concat())
}

/// The best of each step, crate after crate, round after round.
fn interleaved(workspace: &Workspace, set: &[Variant], rounds: usize) -> Vec<Costs> {
    let mut best = vec![[Cost::MAX; STEPS.len()]; set.len()];
    for round in 0..rounds {
        for (variant, best) in set.iter().zip(&mut best) {
            let package = variant.package();
            workspace.cargo(&["clean", "--package", package]);
            let mut measured = [Cost::MAX; STEPS.len()];
            for (step, measured) in measured.iter_mut().enumerate() {
                if step % 2 == 1 {
                    workspace.write(*variant, round * STEPS.len() + step).expect("a source file");
                }
                *measured = workspace.cargo(&[if step < 2 { "build" } else { "check" }, "--package", package]);
            }
            for (best, measured) in best.iter_mut().zip(measured) {
                *best = best.min(measured);
            }
        }
    }
    best
}

/// A package with all that it needs, into an empty folder.
fn from_clean(workspace: &Workspace, package: &str, rounds: usize) -> Cost {
    let build = |_| {
        let target = tempfile::tempdir().expect("a temporary folder");
        let target = target.path().to_str().expect("a path that is text");
        workspace.cargo(&["build", "--package", package, "--target-dir", target])
    };
    (0..rounds).map(build).fold(Cost::MAX, Cost::min)
}
