//! The same targets without a nightly compiler: their seeds, changed at random, in the tests of the crates. Taken by path.
//!
//! `STEADFAST_FUZZ_RUNS` says how often, by default 200,000 times each.

pub(crate) mod random;

use std::{env, fs, path::Path};

use random::Random;

/// Calls it with the seeds of a target and with what becomes of them.
pub(crate) fn run(target: &str, mut call: impl FnMut(&[u8])) {
    let runs = runs(200_000);
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fuzz/corpus").join(target);
    let entries = fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut paths: Vec<_> = entries.map(|entry| entry.expect("an entry of the corpus").path()).collect();
    paths.sort();
    let seeds: Vec<_> = paths.iter().map(|path| fs::read(path).expect("a seed")).collect();
    assert!(!seeds.is_empty(), "{target} has no seeds: nothing was tried");
    for seed in &seeds {
        call(seed);
    }
    let mut random = Random::from(0);
    let mut bytes = Vec::new();
    for _ in 0..runs {
        // Now and then from the start, so that one does not drift into noise.
        if bytes.is_empty() || random.below(8) == 0 {
            bytes.clone_from(random.of(&seeds));
        }
        change(&mut bytes, &seeds, &mut random);
        bytes.truncate(512);
        call(&bytes);
    }
}

/// How often, where nobody says it.
pub(crate) fn runs(otherwise: u64) -> u64 {
    env::var("STEADFAST_FUZZ_RUNS").map_or(otherwise, |runs| runs.parse().expect("a number of runs"))
}

/// What parsers stumble over.
const PIECES: [&str; 12] =
    ["0", "9", "99999999999999999999", "-", ".", " ", "\t", "ms", "h", "GMT", "\u{0663}", "\u{feff}"];

fn change(bytes: &mut Vec<u8>, seeds: &[Vec<u8>], random: &mut Random) {
    let at = random.below(bytes.len() + 1);
    match random.below(6) {
        0 if at < bytes.len() => bytes[at] ^= 1 << random.below(8),
        1 if at < bytes.len() => drop(bytes.remove(at)),
        2 => drop(bytes.splice(at..at, random.of(&PIECES).bytes())),
        3 => {
            let other = random.of(seeds);
            let from = random.below(other.len() + 1);
            drop(bytes.splice(at.., other[from..].iter().copied()));
        }
        4 => {
            let copy = bytes[at..].to_vec();
            bytes.extend(copy);
        }
        _ => bytes.truncate(at),
    }
}
