//! Jobs on five replicas with every fault there is, in virtual time: the runner, the boundary of a run and the stores as they are.
//!
//! `cargo run --release -p steadfast-tests --bin lease_simulation`: 10⁶ slots on leases in memory and 10⁵ on SQLite. `-- --slots N` says
//! another number for the first (the second has a tenth), `--seed S` repeats a run. It ends with 1 if something is wrong, or if a store that
//! is broken on purpose passes.

mod books;
mod broken;
mod causes;
mod database;
mod faults;
mod jobs;
mod ledger;
mod random;
mod report;
mod seen;
mod tally;
mod world;

use std::{
    collections::hash_map::RandomState, env, hash::BuildHasher as _, pin::Pin, process::ExitCode, time::Instant,
};

use broken::Flaw;
use database::{Database, Rows};
use report::Report;
use tally::{Tally, Wrong};
use world::World;

pub(crate) type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// Each of them must be found out, as one of these.
const CONTROLS: &[(Flaw, &[Wrong])] = &[
    (Flaw::AnyClockClaims, &[Wrong::TwoAtWork, Wrong::LeaseStolen]),
    (Flaw::TheReadersLeaseCounts, &[Wrong::TwoAtWork, Wrong::LeaseStolen]),
    (Flaw::AnyoneReleases, &[Wrong::TwoAtWork, Wrong::LeaseStolen]),
    (Flaw::ASlotIsClaimedAgain, &[Wrong::DoubleStart, Wrong::DoubleCommit]),
    (Flaw::ARepeatedClaimIsAnotherOne, &[Wrong::NotBegun]),
    (Flaw::ReleaseDoesNothing, &[Wrong::HeldByNobody]),
    (Flaw::NothingIsFenced, &[Wrong::StaleCommit]),
];

/// Many times what any of them needs.
const CONTROL_SLOTS: u64 = 300_000;

struct Arguments {
    slots: u64,
    seed: u64,
}

impl Arguments {
    fn read() -> Result<Self, String> {
        let mut read = Self { slots: 1_000_000, seed: RandomState::new().hash_one(0) };
        let mut arguments = env::args().skip(1);
        while let Some(argument) = arguments.next() {
            let value = arguments.next().and_then(|value| value.replace('_', "").parse().ok());
            match (argument.as_str(), value) {
                ("--slots", Some(slots)) => read.slots = slots,
                ("--seed", Some(seed)) => read.seed = seed,
                _ => return Err(format!("`{argument}` is not understood; say for example `--slots 100000 --seed 7`")),
            }
        }
        Ok(read)
    }
}

fn on_memory(seed: u64, slots: u64) -> Report {
    let begun = Instant::now();
    let mut world = World::new(seed, Database::memory);
    let tally = world.run(slots);
    Report { tally, met: world.met, took: begun.elapsed() }
}

/// With the rows that there are.
fn on_sqlite(seed: u64, slots: u64) -> (Report, Rows) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let (database, pool) = runtime.block_on(Database::sqlite()).expect("a database in memory");
    let begun = Instant::now();
    let mut world = World::new(seed, |_| database);
    let tally = world.run(slots);
    let report = Report { tally, met: world.met, took: begun.elapsed() };
    (report, runtime.block_on(database::rows(&pool)).expect("rows"))
}

/// Runs until the flaw is found out as what it should be found as.
fn control(flaw: Flaw, expected: &[Wrong], seed: u64) -> Result<Tally, String> {
    let tally = World::new(seed, |time| Database::broken(time, flaw)).run_until_wrong(CONTROL_SLOTS, expected);
    if expected.iter().any(|wrong| tally.of(*wrong) > 0) {
        return Ok(tally);
    }
    let found = &tally.wrong;
    Err(format!("{flaw:?} is not found in {CONTROL_SLOTS} slots: expected one of {expected:?}, found {found:?}"))
}

fn main() -> ExitCode {
    let Arguments { slots, seed } = match Arguments::read() {
        Ok(arguments) => arguments,
        Err(problem) => {
            eprintln!("{problem}");
            return ExitCode::FAILURE;
        }
    };
    println!("seed {seed}");
    let mut failed = Vec::new();

    println!("\n── leases in memory ──");
    let memory = on_memory(seed, slots);
    println!("{memory}");
    println!("\n── leases and fenced units on SQLite in memory ──");
    let (sqlite, rows) = on_sqlite(seed, slots / 10);
    println!("{sqlite}\n    {rows:?} in the database");
    if !rows.are_those_of(&sqlite.tally) {
        failed.push(format!("{rows:?} in the database, and {} units were committed", sqlite.tally.committed));
    }
    for Report { tally, .. } in [memory, sqlite] {
        if !tally.is_clean() {
            failed.push(format!("{:?}", tally.wrong));
        }
        // In fewer it may be by chance.
        let never = if tally.slots < 50_000 { Vec::new() } else { tally.never() };
        failed.extend(never.iter().map(|what| format!("never: {what}")));
    }

    println!("\n── stores that are broken on purpose ──");
    for (flaw, expected) in CONTROLS {
        match control(*flaw, expected, seed) {
            Ok(tally) => println!("    {flaw:?}: {:?} within {} slots", tally.wrong, tally.slots),
            Err(problem) => failed.push(problem),
        }
    }
    for problem in &failed {
        println!("FAILED: {problem}");
    }
    if failed.is_empty() {
        println!("passed");
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

#[cfg(test)]
mod tests;
