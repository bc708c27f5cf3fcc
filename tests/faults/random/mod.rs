//! Units by the thousand, each with a fault at a random point, and the books kept on all of them.
//!
//! Every unit appends three rows under a number that was chosen before the call, so that what was applied half, twice or not at all
//! shows. `STEADFAST_SEED` repeats a run's faults (the seed is printed; what tasks do to each other is not repeated).
//! `STEADFAST_UNITS` says how many units there are on each engine, by default 10,000.

use std::{
    collections::{BTreeMap, HashMap},
    env, fmt,
    sync::{Mutex, PoisonError},
};

use super::survival::Told;
use rand::{RngExt, SeedableRng, rngs::StdRng};

mod mysql;
#[allow(clippy::duplicate_mod)] // the point: one suite, two servers
mod postgres;
mod sqlite;

/// Rows that a unit appends, each by a statement of its own.
pub(crate) const PARTS: i64 = 3;

pub(crate) fn units() -> i64 {
    env::var("STEADFAST_UNITS").map_or(10_000, |text| text.parse().expect("`STEADFAST_UNITS` is a number"))
}

pub(crate) fn seed() -> u64 {
    env::var("STEADFAST_SEED")
        .map_or_else(|_| rand::random(), |text| text.parse().expect("`STEADFAST_SEED` is a number"))
}

/// The generator of one unit: its faults do not depend on what other tasks do.
pub(crate) fn generator(seed: u64, unit: i64) -> StdRng {
    StdRng::seed_from_u64(seed.wrapping_add(unit.unsigned_abs()))
}

/// One of them, by weight.
pub(crate) fn pick<T: Copy>(random: &mut StdRng, weighted: &[(u32, T)]) -> T {
    let mut at = random.random_range(0..weighted.iter().map(|(weight, _)| weight).sum());
    for (weight, item) in weighted {
        match at.checked_sub(*weight) {
            Some(left) => at = left,
            None => return *item,
        }
    }
    unreachable!("the draw is below the sum")
}

struct Entry {
    fault: &'static str,
    answer: &'static str,
    told: Told,
}

/// What was told of each unit, to be compared with the rows.
#[derive(Default)]
pub(crate) struct Books(Mutex<HashMap<i64, Entry>>);

impl Books {
    pub(crate) fn note(&self, unit: i64, fault: &'static str, answer: &'static str, told: Told) {
        let mut entries = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let before = entries.insert(unit, Entry { fault, answer, told });
        assert!(before.is_none(), "unit {unit} was called twice");
    }

    /// How many units were told so far.
    pub(crate) fn told(&self) -> usize {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).len()
    }

    /// How many of them met that fault.
    pub(crate) fn met(&self, fault: &str) -> usize {
        let entries = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        entries.values().filter(|entry| entry.fault == fault).count()
    }

    /// Compares with the rows: how many there are of each unit.
    pub(crate) fn audit(&self, rows: Vec<(i64, i64)>) -> Audit {
        let rows: HashMap<_, _> = rows.into_iter().collect();
        let mut audit = Audit::default();
        for (unit, Entry { fault, answer, told }) in &*self.0.lock().unwrap_or_else(PoisonError::into_inner) {
            let there = rows.get(unit).copied().unwrap_or_default();
            let wrong = match (there, told) {
                (0, Told::Applied) => Some(&mut audit.false_successes),
                (PARTS, Told::NotApplied) => Some(&mut audit.false_failures),
                (0 | PARTS, _) => None,
                (there, _) if there > PARTS => Some(&mut audit.duplicates),
                _ => Some(&mut audit.halves),
            };
            if let Some(count) = wrong {
                *count += 1;
                eprintln!("unit {unit} ({answer}, {fault}): {told:?}, {there} rows");
            }
            *audit.told.entry(told_name(*told)).or_default() += 1;
            *audit.faults.entry(fault).or_default() += 1;
            if *told == Told::InDoubt {
                *audit.in_doubt.entry(answer).or_default() += 1;
            }
        }
        audit
    }
}

const fn told_name(told: Told) -> &'static str {
    match told {
        Told::Applied => "applied",
        Told::NotApplied => "not applied",
        Told::InDoubt => "in doubt",
        Told::Nothing => "cancelled",
    }
}

/// What the comparison found.
#[derive(Debug, Default)]
pub(crate) struct Audit {
    /// Applied more than once.
    pub(crate) duplicates: u32,
    /// Applied in part.
    pub(crate) halves: u32,
    /// Reported as applied, and not there.
    pub(crate) false_successes: u32,
    /// Reported as not applied, and there.
    pub(crate) false_failures: u32,
    /// In doubt, by what the unit answers to that.
    pub(crate) in_doubt: BTreeMap<&'static str, u32>,
    told: BTreeMap<&'static str, u32>,
    faults: BTreeMap<&'static str, u32>,
}

impl Audit {
    pub(crate) fn wrong(&self) -> [u32; 4] {
        [self.duplicates, self.halves, self.false_successes, self.false_failures]
    }

    /// One line for whoever reads the output, and one a fault for the table of `tests/run`.
    pub(crate) fn report(&self, engine: &str, seed: u64, poisoned: usize) {
        println!("{engine}, seed {seed}: {self}, poisoned connections {poisoned}; met {:?}", self.faults);
        for (fault, count) in &self.faults {
            steadfast_tests::tally::fault(engine, fault, *count);
        }
        for (what, count) in [
            ("= applied twice", self.duplicates),
            ("= applied half", self.halves),
            ("= false success", self.false_successes),
            ("= false failure", self.false_failures),
            ("= poisoned connection", u32::try_from(poisoned).expect("few")),
            ("= told in doubt", self.in_doubt.values().sum()),
        ] {
            steadfast_tests::tally::fault(engine, what, count);
        }
    }
}

impl fmt::Display for Audit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [duplicates, halves, successes, failures] = self.wrong();
        write!(f, "{:?}, in doubt {:?}, duplicates {duplicates}, ", self.told, self.in_doubt)?;
        write!(f, "halves {halves}, false successes {successes}, false failures {failures}")
    }
}
