//! The simulation, small enough for every run of the tests. `STEADFAST_SEED` says another seed.

use super::*;
use crate::faults::Kind;

const SEED: u64 = 7;

fn seed() -> u64 {
    env::var("STEADFAST_SEED").map_or(SEED, |text| text.parse().expect("`STEADFAST_SEED` is a number"))
}

#[test]
fn no_fault_breaks_what_is_promised_and_a_seed_repeats_it() {
    let report = on_memory(seed(), 6_000);
    println!("{report}");
    let tally = &report.tally;
    assert!(tally.is_clean(), "{:?} {:?}", tally.wrong, tally.told);
    for kind in Kind::ALL {
        assert!(report.met.contains_key(kind), "no {kind:?}");
    }
    // Some of it happens once in thousands of slots, so not with every seed.
    assert!(seed() != SEED || tally.never().is_empty(), "never: {:?}", tally.never());
    assert_eq!(on_memory(seed(), 6_000).tally.digest, tally.digest);
    assert_ne!(on_memory(seed() + 1, 6_000).tally.digest, tally.digest);
}

#[test]
fn nor_on_sqlite_with_units_that_are_fenced_there() {
    let (report, rows) = on_sqlite(seed(), 600);
    println!("{report}");
    let Report { tally, met, .. } = &report;
    assert!(tally.is_clean(), "{:?} {:?}", tally.wrong, tally.told);
    assert!(tally.committed > 500 && met.len() > 10, "{report}");
    assert!(rows.are_those_of(tally), "{rows:?}");
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
