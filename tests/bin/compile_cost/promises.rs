//! The figures that we promise, and which of them were missed.

use crate::{
    STEPS,
    crates::Variant,
    measure::{Cost, Costs},
    report::peer,
};

/// A crate of ours, in parts of the same with `#[tracing::instrument]`.
const OF_INSTRUMENT: f64 = 0.75;
/// The crate of the macros, in parts of an empty one on the same `syn`.
const OF_SYN: f64 = 1.2;
/// The runtime without a database, in seconds.
const BARE: f64 = 8.0;

pub(crate) fn of_a_set(title: &str, set: &[Variant], costs: &[Costs]) -> Vec<String> {
    let Some(ours) = set.iter().position(|variant| matches!(variant, Variant::Ours(_))) else { return Vec::new() };
    let steps = STEPS.iter().zip(&costs[ours]).zip(peer(set, costs));
    let ratios = steps.map(|((step, ours), peer)| (step, ours.over(*peer)));
    let missed = ratios.filter(|(_, ratio)| ratio.least() > OF_INSTRUMENT);
    missed
        .map(|(step, ratio)| format!("{title}, {step}: {ratio} of `#[tracing::instrument]`, at most {OF_INSTRUMENT}"))
        .collect()
}

pub(crate) fn from_clean(syn: Cost, macros: Cost, runtime: Cost) -> Vec<String> {
    let mut missed = Vec::new();
    let ratio = macros.over(syn);
    if ratio.least() > OF_SYN {
        missed.push(format!("steadfast-macros: {ratio} of syn alone, at most {OF_SYN}"));
    }
    if runtime.least() > BARE {
        missed.push(format!("steadfast without a database: {runtime} s, at most {BARE} s"));
    }
    missed
}
