//! The tables.

use crate::{
    STEPS,
    crates::Variant,
    measure::{Cost, Costs},
};

/// Seconds on the clock / of the processors, and in brackets as a part of what `#[tracing::instrument]` takes.
pub(crate) fn set(title: &str, set: &[Variant], costs: &[Costs]) {
    println!("── {title}: seconds on the clock / of the processors (parts of `#[tracing::instrument]`) ──");
    print!("{:30}", "");
    for step in STEPS {
        print!("{step:30}");
    }
    println!();
    let peer = peer(set, costs);
    for (variant, costs) in set.iter().zip(costs) {
        print!("{:30}", variant.name());
        for (cost, peer) in costs.iter().zip(peer) {
            print!("{:30}", format!("{cost} ({})", cost.over(*peer)));
        }
        println!();
    }
    println!();
}

/// What the others are compared with.
pub(crate) fn peer<'a>(set: &[Variant], costs: &'a [Costs]) -> &'a Costs {
    let at = set.iter().position(|variant| matches!(variant, Variant::Instrument(_)));
    &costs[at.expect("each set has the peer")]
}

pub(crate) fn from_clean(syn: Cost, macros: Cost, runtime: Cost) {
    println!("── from an empty folder: seconds on the clock / of the processors ──");
    println!("{:30}{syn}", "syn alone");
    println!("{:30}{macros} ({} of syn alone)", "steadfast-macros", macros.over(syn));
    println!("{:30}{runtime}\n", "steadfast without a database");
}
