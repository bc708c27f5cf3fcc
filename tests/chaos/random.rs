//! Faults by the dozen, drawn from a seed, and a quiet phase after them in which every slot must run.

use std::{collections::BTreeMap, env, time::Duration};

use rand::{RngExt as _, SeedableRng as _, rngs::StdRng};
use steadfast::clock::Clock as _;
use steadfast_tests::{chaos::Event, tally};

use super::{
    FENCED, HEARTBEAT, JOBS, MINUTE, Span,
    audit::Findings,
    explained::{Causes, Missed, Why},
    faults::{Fault, Struck},
    fleet::Fleet,
    ledger::Ledger,
    stalls::Stalls,
};
use crate::faults::random::{pick, seed};

/// How long a minute takes.
const LENGTH: Duration = Duration::from_millis(400);
/// How long the rows of a fault may still be in the way: the longest lease, and what was waited for.
const SETTLES: i64 = 7 * MINUTE;
/// How long the quiet phase lasts.
const QUIET: i64 = 8 * MINUTE;

fn slots() -> i64 {
    env::var("STEADFAST_SLOTS").map_or(40, |text| text.parse().expect("`STEADFAST_SLOTS` is a number"))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "needs PostgreSQL: tests/run"]
async fn no_slot_starts_twice_whatever_happens_to_replicas_and_their_server() {
    let (seed, slots) = (seed(), slots());
    println!("seed {seed}, {slots} slots");
    let mut fleet = Fleet::start(5, LENGTH).await;
    let clock = fleet.scene.clock;
    let stalls = Stalls::watch(clock, fleet.scene.pool().clone());

    let from = clock.slot().unix_millis() + MINUTE;
    let struck = Span { from, to: from + slots * MINUTE };
    under_fire(&mut fleet, struck, &mut StdRng::seed_from_u64(seed)).await;
    fleet.heal_all().await;
    let quiet = quiet(&fleet, &stalls).await;
    fleet.end().await;

    let told = fleet.scene.told().clone();
    let ledger = Ledger::read(fleet.scene.pool(), &told).await.expect("the server is there");
    let (all, stood_still) = (Span { from, to: quiet.to }, stalls.seen());
    let causes = Causes { struck: &fleet.struck, stalls: &stood_still };
    let findings = JOBS.map(|job| Findings::of(job, &ledger, causes, all));
    report(&fleet.struck, &findings, &ledger, all, seed);
    let fenced = told.iter().filter(|heard| heard.told.what == Event::Fenced).count();
    found("units of superseded runs that the fence refused", fenced);
    for fault in &fleet.struck {
        println!(
            "{:>10} to {:>10}: {}, {:?}",
            fault.from - from,
            fault.until - from,
            fault.fault.name(),
            fault.replica
        );
    }
    for commit in &ledger.commits {
        if ledger
            .commits
            .iter()
            .any(|other| (&other.job, other.slot) == (&commit.job, commit.slot) && other.run != commit.run)
        {
            let around = ledger.around(&commit.job, commit.slot, &told);
            println!("{} at {}, committed by two:\n{around}", commit.job, commit.slot - from);
        }
    }
    for missed in findings.iter().flat_map(|found| &found.missed).filter(|missed| missed.why.is_none()) {
        println!("{} at {}:\n{}", missed.job, missed.slot - from, ledger.around(missed.job, missed.slot, &told));
    }

    for ((job, _), found) in JOBS.iter().zip(&findings) {
        assert_eq!(found.violations(), 0, "{job}, seed {seed}: {found:?}");
    }
    let missed: Vec<_> = findings.iter().flat_map(|found| &found.missed).collect();
    let stalled = missed.iter().filter(|missed| missed.why == Some(Why::Stall)).count();
    assert!(stalled <= 4 + missed.len() / 10, "the machine stood still too often to say anything: {stalled} slots");
    in_the_quiet(&ledger, &missed, quiet);
}

/// A fault every few slots, anywhere within its minute.
async fn under_fire(fleet: &mut Fleet, span: Span, random: &mut StdRng) {
    let clock = fleet.scene.clock;
    // Each once in their turn as far as the slots go, in an order that is drawn; then by weight.
    let mut order: Vec<_> = Fault::DRAWN.iter().map(|(_, fault)| *fault).collect();
    let mut next = span.from;
    while clock.millis() < span.to {
        if clock.millis() >= next && fleet.well() > 2 {
            let fault = if order.is_empty() {
                pick(random, &Fault::DRAWN)
            } else {
                order.swap_remove(random.random_range(0..order.len()))
            };
            fleet.strike(fault, random).await;
            let gap = if fault.takes_the_server() { 6..=9 } else { 2..=5 };
            next = clock.millis() + random.random_range(gap) * MINUTE + random.random_range(0..MINUTE);
        }
        fleet.heal_due().await;
        clock.sleep(Duration::from_secs(2)).await;
    }
}

/// Lets what is left of the faults pass, and then some slots without any. Where the machine stands still meanwhile, some more.
async fn quiet(fleet: &Fleet, stalls: &Stalls) -> Span {
    let clock = fleet.scene.clock;
    let mut from = clock.slot().unix_millis() + SETTLES;
    for _ in 0..4 {
        let wait = Duration::from_millis(u64::try_from(from + QUIET + MINUTE - clock.millis()).unwrap_or_default());
        clock.sleep(wait).await;
        if !stalls.seen().iter().any(|(_, until)| *until > from - MINUTE) {
            break;
        }
        from = clock.slot().unix_millis() + 2 * MINUTE;
    }
    Span { from, to: from + QUIET }
}

/// Every slot ran to its end, once; but for the job that is longer than its gap, which was at work.
fn in_the_quiet(ledger: &Ledger, missed: &[&Missed], span: Span) {
    for (job, every) in JOBS {
        for slot in span.slots_of(every) {
            let runs: Vec<_> = ledger.runs_of(job).filter(|run| run.slot == slot).collect();
            let at_work =
                missed.iter().any(|missed| (missed.job, missed.slot, missed.why) == (job, slot, Some(Why::AtWork)));
            if job == HEARTBEAT && at_work {
                continue;
            }
            assert_eq!(runs.len(), 1, "{job}, slot {} of the quiet phase", (slot - span.from) / MINUTE);
            let commits = ledger.commits.iter().filter(|commit| commit.job == job && commit.slot == slot).count();
            assert!(
                job != FENCED || commits == 1,
                "slot {} of the quiet phase: {commits} commits",
                (slot - span.from) / MINUTE
            );
        }
    }
}

/// A row a fault for the table of `tests/run`, a line for each slot that never ran, and what was found.
fn report(struck: &[Struck], findings: &[Findings], ledger: &Ledger, span: Span, seed: u64) {
    let missed: Vec<_> = findings.iter().flat_map(|found| &found.missed).collect();
    let mut table: BTreeMap<Fault, (usize, usize)> = BTreeMap::new();
    for fault in struck {
        table.entry(fault.fault).or_default().0 += fault.times;
    }
    let mut lines: BTreeMap<Option<Why>, Vec<String>> = BTreeMap::new();
    for Missed { job, slot, why } in missed.iter().filter(|missed| missed.why != Some(Why::AtWork)) {
        let job = job.trim_start_matches("chaos.");
        lines.entry(*why).or_default().push(format!("{job} {}", (slot - span.from) / MINUTE));
        if let Some(Why::Fault(index)) = why {
            table.entry(struck[*index].fault).or_default().1 += 1;
        }
    }
    for (fault, (times, lost)) in &table {
        tally::chaos("fault", fault.name(), &times.to_string(), &lost.to_string());
    }
    for (why, slots) in &lines {
        let why = match why {
            None => "nothing".to_owned(),
            Some(Why::AtWork) => continue,
            Some(Why::Stall) => "the machine stood still".to_owned(),
            Some(Why::Fault(index)) => {
                let Struck { fault, replica, from, .. } = struck[*index];
                let whose = replica.map_or_else(|| "all".to_owned(), |replica| format!("replica {replica}"));
                format!("{}, {whose}, in slot {}", fault.name(), (from - span.from).div_euclid(MINUTE))
            }
        };
        println!("never ran: {}; {why}", slots.join(", "));
        tally::chaos("missed", &why, "", &slots.join(", "));
    }
    let sum = |what: fn(&Findings) -> usize| findings.iter().map(what).sum::<usize>();
    let begun: usize = JOBS.iter().map(|(job, _)| ledger.runs_of(job).count()).sum();
    let of = |what: fn(&Missed) -> bool| missed.iter().filter(|missed| what(missed)).count();
    for (what, count) in [
        ("seed", usize::try_from(seed).unwrap_or_default()),
        ("slots begun, of four jobs", begun),
        ("fenced commits", ledger.commits.len()),
        ("double starts", sum(|found| found.double_starts)),
        ("two runs at work at once", sum(|found| found.overlaps)),
        ("leases taken before their end", sum(|found| found.stolen)),
        ("fenced slots committed twice", sum(|found| found.double_commits)),
        ("fenced slots that went down", sum(|found| found.slots_down)),
        ("slots never run that nothing explains", of(|missed| missed.why.is_none())),
        ("slots never run, the machine stood still", of(|missed| missed.why == Some(Why::Stall))),
        ("slots never run, the run before was at work", of(|missed| missed.why == Some(Why::AtWork))),
        ("slots begun again after a hand-back", sum(|found| found.handed_over)),
        ("committed before and after a hand-back", sum(|found| found.committed_again)),
        ("statements of a process that woke too late", sum(|found| found.late_steps)),
    ] {
        found(what, count);
    }
}

fn found(what: &str, count: usize) {
    println!("{what}: {count}");
    tally::chaos("found", what, "", &count.to_string());
}
