//! The simulation, small enough for every run of the tests. `STEADFAST_SEED` says another seed.

use super::*;
use crate::faults::Kind;

const SEED: u64 = 7;

fn seed() -> u64 {
    env::var("STEADFAST_SEED").map_or(SEED, |text| text.parse().expect("`STEADFAST_SEED` is a number"))
}

/// Nothing is wrong, and it is not because nothing happens.
fn holds(report: &Report, kinds: &[Kind]) {
    println!("{report}");
    let tally = &report.tally;
    assert!(tally.is_clean(), "{:?} {:?}", tally.wrong, tally.told);
    assert!(tally.begun > tally.slots / 2 && tally.clean > tally.slots / 2, "most slots have a replica, and are run");
    for kind in kinds {
        assert!(report.met.contains_key(kind), "no {kind:?}");
    }
}

#[test]
fn no_fault_breaks_what_is_promised_and_a_seed_repeats_it() {
    let report = on_memory(seed(), 6_000);
    holds(&report, Kind::ALL);
    let tally = &report.tally;
    for (count, what) in [
        (tally.refused, "a superseded run meets the fence"),
        (tally.outlived, "a run outlives its lease"),
        (tally.handed_back, "a slot is handed back"),
    ] {
        assert!(count > 0, "never: {what}");
    }
    // One in some thousands of slots, so not with every seed.
    assert!(tally.begun_again > 0 || seed() != SEED, "never: a slot that was handed back begins again");
    assert_eq!(on_memory(seed(), 6_000).tally.digest, tally.digest);
    assert_ne!(on_memory(seed() + 1, 6_000).tally.digest, tally.digest);
}

#[test]
fn nor_on_sqlite_with_units_that_are_fenced_there() {
    let (report, rows) = on_sqlite(seed(), 600);
    holds(&report, &[Kind::Crash, Kind::Pause, Kind::Suspend, Kind::Shutdown, Kind::ClaimAnswerLost]);
    assert!(rows.are_those_of(&report.tally), "{rows:?}");
}

#[test]
fn a_store_of_the_tests_own_passes_and_is_found_out_by_each_flaw() {
    let whole = World::new(seed(), |time| Database::broken(time, Flaw::None)).run(3_000);
    assert!(whole.is_clean(), "{:?} {:?}", whole.wrong, whole.told);
    for (flaw, expected) in CONTROLS {
        let tally = control(*flaw, expected, seed()).unwrap_or_else(|problem| panic!("{problem}"));
        println!("{flaw:?}: {:?} within {} slots", tally.wrong, tally.slots);
    }
}
