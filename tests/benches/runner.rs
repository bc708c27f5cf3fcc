//! What the runner costs at rest and how late it starts what is due, beside a heap with one sleep (the floor) and two peers, with 10, 1,000
//! and 10,000 jobs that are all due at once. Linux only: the figures come from `/proc`.
//!
//! `cargo bench -p steadfast-tests --bench runner`, about twelve minutes: time has to pass. Each subject runs in a process of its own. At rest
//! is measured between two firings of the minute, all subjects at once since they do nothing; a firing is measured alone, every five
//! seconds: the peers have cron lines of seconds, our clock runs twelve times as fast.

#![allow(clippy::unused_async, reason = "jobs that do nothing")]

#[path = "runner/process.rs"]
mod process;
#[path = "runner/subjects.rs"]
mod subjects;
#[path = "runner/tally.rs"]
mod tally;

use std::env;

use process::{Figures, Measure};
use subjects::Subject;

const SIZES: [usize; 3] = [10, 1_000, 10_000];

fn main() {
    let arguments: Vec<String> = env::args().collect();
    if let Some(at) = arguments.iter().position(|argument| argument == "--of") {
        process::child(&arguments[at + 1..]);
        return;
    }
    let cases: Vec<_> = SIZES.into_iter().flat_map(|jobs| Subject::ALL.map(|subject| (subject, jobs))).collect();
    let start = |measure: Measure| cases.iter().map(move |(subject, jobs)| process::start(*subject, *jobs, measure));
    // Which do nothing together; the firings one after the other.
    let rest: Vec<Figures> = start(Measure::Rest).collect::<Vec<_>>().into_iter().map(process::Running::end).collect();
    let heap: Vec<Figures> = start(Measure::Heap).map(process::Running::end).collect();
    let late: Vec<Figures> = start(Measure::Late).map(process::Running::end).collect();

    println!(
        "{:>7} {:<24} {:>9} {:>8} {:>9} {:>9} {:>9} {:>9}  lost, doubled",
        "jobs", "", "bytes a", "CPU ms,", "of the", "wake-ups,", "late ms,", "late ms,"
    );
    println!(
        "{:>7} {:<24} {:>9} {:>8} {:>9} {:>9} {:>9} {:>9}",
        "", "", "job", "idle min", "floor", "idle min", "median", "p99"
    );
    for (index, (subject, jobs)) in cases.iter().enumerate() {
        let floor = index / Subject::ALL.len() * Subject::ALL.len();
        let (rest_of, late) = (&rest[index], &late[index]);
        println!(
            "{jobs:>7} {:<24} {:>9.0} {:>8.2} {:>9.2} {:>9.0} {:>9.2} {:>9.2}  {:.0}, {:.0} of {:.0}",
            subject.name(),
            heap[index].bytes,
            rest_of.cpu_ms,
            rest_of.cpu_ms / rest[floor].cpu_ms,
            rest_of.wake_ups,
            late.median_ms,
            late.p99_ms,
            late.lost,
            late.doubled,
            late.due
        );
    }
    println!(
        "\nreach: 128 bytes and less a job; CPU at rest at most twice the floor's, 10 wake-ups and less an idle minute; p99 2 ms and less \
         with 10 jobs, 20 ms and less with 10,000; nothing lost or doubled"
    );
}
