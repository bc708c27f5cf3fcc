//! Explores the protocol of leases and fences, and the same with one thing broken at a time: what is broken must be found.
//!
//! `cargo run --release -p steadfast-tests --bin lease_model`: some minutes. With `--traces` it prints how each mutant fails. It ends with
//! 1 if the protocol fails a property, or a mutant none.

mod model;
mod mutants;
mod properties;
// The library's own decision: a claim of the model cannot drift from a claim of the stores.
#[allow(unreachable_pub)] // the library exports one of its types
#[allow(dead_code)] // `holds` asks for no transaction, and the model's fences are those of transactions
#[path = "../../../runtime/src/jobs/lease/protocol.rs"]
mod protocol;
mod scenario;
mod state;
mod steps;
mod store;

use std::{process::ExitCode, time::Instant};

use stateright::{Checker, HasDiscoveries, Model as _};

use model::{Action, Leases};
use mutants::{MUTANTS, Mutant, SCENARIOS};
use scenario::{Flaw, Scenario};

/// What an exploration found.
struct Explored {
    states: usize,
    unique: usize,
    depth: usize,
    seconds: f64,
    /// Properties that failed, each with a way there.
    failed: Vec<(&'static str, Vec<Action>)>,
    /// What should have happened somewhere, and did not.
    never: Vec<&'static str>,
}

impl Explored {
    fn size(&self) -> String {
        let Self { states, unique, depth, seconds, .. } = self;
        format!("{states:>11} states, {unique:>10} different, depth {depth:>2}, {seconds:>6.1} s")
    }
}

fn explore(scenario: Scenario, flaws: &'static [Flaw]) -> Explored {
    let begun = Instant::now();
    let threads = std::thread::available_parallelism().map_or(2, Into::into);
    let builder = Leases::new(scenario, flaws).checker().threads(threads).finish_when(HasDiscoveries::AnyFailures);
    let checker = builder.spawn_bfs().join();
    let mut found = checker.discoveries();
    let (mut failed, mut never) = (Vec::new(), Vec::new());
    for property in checker.model().properties() {
        match (property.expectation.discovery_is_failure(), found.remove(property.name)) {
            (true, Some(path)) => failed.push((property.name, path.into_actions())),
            (false, None) => never.push(property.name),
            _ => {}
        }
    }
    let (states, unique, depth) = (checker.state_count(), checker.unique_state_count(), checker.max_depth());
    Explored { states, unique, depth, seconds: begun.elapsed().as_secs_f64(), failed, never }
}

/// Explores a mutant. `Err`: it was not caught, or by something else, or found out where it should not be.
fn caught(mutant: &Mutant) -> Result<Explored, String> {
    let explored = explore(mutant.scenario, mutant.flaws);
    let by: Vec<_> = explored.failed.iter().map(|(name, _)| *name).collect();
    let expected = mutant.caught_by;
    if by.is_empty() != expected.is_empty() || !by.iter().all(|name| expected.contains(name)) {
        return Err(format!("{}: expected one of {expected:?}, found {by:?}; see `mutants.rs`", mutant.name));
    }
    Ok(explored)
}

fn main() -> ExitCode {
    let traces = std::env::args().any(|argument| argument == "--traces");
    let (mut wrong, mut states, mut unique) = (Vec::new(), 0, 0);
    println!("── the protocol ──");
    for scenario in SCENARIOS {
        let explored = explore(*scenario, &[]);
        println!("{:36} {}", scenario.name, explored.size());
        states += explored.states;
        unique += explored.unique;
        for (name, actions) in &explored.failed {
            println!("    fails: {name}\n    {actions:?}");
            wrong.push(format!("{}: `{name}` fails", scenario.name));
        }
        let never: Vec<_> = explored.never.iter().filter(|name| !scenario.never.contains(name)).collect();
        if !never.is_empty() {
            wrong.push(format!(
                "{}: never seen: {never:?}; a model where nothing happens proves nothing",
                scenario.name
            ));
        }
    }
    println!("{:36} {states:>11} states, {unique:>10} different", "together");
    println!("\n── the properties ──");
    for property in properties::all() {
        println!(
            "{}{}",
            if property.expectation.discovery_is_failure() { "always: " } else { "somewhere: " },
            property.name
        );
    }
    println!("\n── mutants ──");
    for mutant in MUTANTS {
        match caught(mutant) {
            Ok(explored) => {
                let by = explored.failed.first();
                let what = by.map_or("nothing, as expected", |(name, _)| name);
                let steps = by.map_or(0, |(_, actions)| actions.len());
                println!("{}\n    caught by: {what} ({steps} steps, {:.1} s)", mutant.name, explored.seconds);
                if let (true, Some((_, actions))) = (traces, by) {
                    println!("    {actions:?}");
                }
            }
            Err(why) => {
                println!("{}\n    NOT AS EXPECTED", mutant.name);
                wrong.push(why);
            }
        }
    }
    println!();
    for why in &wrong {
        println!("FAILED: {why}");
    }
    if wrong.is_empty() {
        println!("passed");
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_protocol_holds_in_a_small_world_and_quick_mutants_do_not() {
        let explored = explore(mutants::TINY, &[]);
        assert!(explored.failed.is_empty(), "{:?}", explored.failed);
        assert!(explored.unique > 10_000, "{}", explored.size());
        let quick: Vec<_> = MUTANTS.iter().filter(|mutant| mutant.quick).collect();
        assert!(quick.len() >= 4, "mutants that a test can afford");
        for mutant in quick {
            caught(mutant).unwrap_or_else(|why| panic!("{why}"));
        }
    }
}
