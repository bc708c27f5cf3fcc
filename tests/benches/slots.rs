//! What the next and the latest slot of a schedule cost: ours beside the crates that parse cron lines, in one run.
//!
//! `cargo bench -p steadfast-tests --bench slots`. Read ratios within one table; the machine's speed cancels out. Nothing is
//! parsed while it is measured; all of them walk the same 256 moments of the years 2025 to 2029.

use std::{
    hint::black_box,
    time::{Duration, Instant},
};

use chrono::{DateTime, Utc};
use steadfast::{Cron, Slot};

#[path = "../../macros/src/job/cron/mod.rs"]
#[allow(dead_code)] // the macro also reads what is wrong with a line, and its shortest gap
mod parser;

#[global_allocator]
static ALLOCATOR: dhat::Alloc = dhat::Alloc;

const DENSE: [&str; 3] = ["*/5 * * * *", "0 3 * * *", "0 7 * * MON-FRI"];
const SPARSE: [&str; 3] = ["0 0 1 * *", "0 0 29 2 *", "0 0 31 * *"];

/// A moment, as each of them wants it.
struct Moment {
    slot: Slot,
    time: DateTime<Utc>,
}

fn moments() -> Vec<Moment> {
    // 2025 to 2029 in steps that share no factor with a day.
    (0..256)
        .map(|n| 1_735_689_600 + n * 616_043)
        .map(|seconds| Moment {
            slot: Slot::from_unix_seconds(seconds),
            time: DateTime::from_timestamp(seconds, 0).expect("a date"),
        })
        .collect()
}

/// One question to one schedule: does it answer?
type Ask = Box<dyn Fn(&Moment) -> bool>;

struct Subject {
    name: &'static str,
    next: Ask,
    latest: Option<Ask>,
}

fn subjects(line: &str) -> [Subject; 4] {
    let parsed = parser::Cron::parse(line).expect("of the portable subset");
    let ours = Cron::from_masks(parsed.minute, parsed.hour, parsed.day, parsed.month, parsed.weekday);
    let cron: cron::Schedule = format!("0 {line}").parse().expect("a schedule");
    let saffron: saffron::Cron = line.parse().expect("a schedule");
    let croner: croner::Cron = line.parse().expect("a schedule");
    let back = (cron.clone(), croner.clone());
    [
        Subject {
            name: "steadfast",
            next: Box::new(move |moment| black_box(ours.next(black_box(moment.slot))).is_some()),
            latest: Some(Box::new(move |moment| black_box(ours.latest(black_box(moment.slot))).is_some())),
        },
        Subject {
            name: "cron",
            next: Box::new(move |moment| black_box(cron.after(black_box(&moment.time)).next()).is_some()),
            latest: Some(Box::new(move |moment| {
                black_box(back.0.after(black_box(&moment.time)).next_back()).is_some()
            })),
        },
        Subject {
            name: "saffron",
            next: Box::new(move |moment| black_box(saffron.next_after(black_box(moment.time))).is_some()),
            latest: None,
        },
        Subject {
            name: "croner",
            next: Box::new(move |moment| {
                black_box(croner.find_next_occurrence(black_box(&moment.time), false)).is_ok()
            }),
            latest: Some(Box::new(move |moment| {
                black_box(back.1.find_previous_occurrence(black_box(&moment.time), true)).is_ok()
            })),
        },
    ]
}

fn once(ask: &Ask, moments: &[Moment]) {
    for moment in moments {
        assert!(ask(moment));
    }
}

/// Nanoseconds a question: the fastest of many batches, which is what the machine can do undisturbed.
fn nanoseconds(ask: &Ask, moments: &[Moment]) -> f64 {
    let mut fastest = Duration::MAX;
    let begin = Instant::now();
    while begin.elapsed() < Duration::from_millis(200) {
        let start = Instant::now();
        once(ask, moments);
        fastest = fastest.min(start.elapsed());
    }
    #[allow(clippy::cast_precision_loss)] // 256
    let count = moments.len() as f64;
    fastest.as_secs_f64() * 1e9 / count
}

fn allocations(ask: &Ask, moments: &[Moment]) -> u64 {
    let _profiler = dhat::Profiler::builder().testing().build();
    once(ask, moments);
    dhat::HeapStats::get().total_blocks
}

fn main() {
    let moments = moments();
    println!("the next and the latest slot, {} moments; allocations are those of one `next`\n", moments.len());
    println!(
        "{:<18} {:<10} {:>9} {:>9} {:>10} {:>9} {:>12}",
        "", "", "next, ns", "× ours", "latest, ns", "× ours", "allocations"
    );
    for (kind, lines) in [("dense", DENSE), ("sparse", SPARSE)] {
        for line in lines {
            let subjects = subjects(line);
            let mut first = None;
            for subject in &subjects {
                let next = nanoseconds(&subject.next, &moments);
                let latest = subject.latest.as_ref().map(|ask| nanoseconds(ask, &moments));
                let ours = *first.get_or_insert((next, latest.unwrap_or(next)));
                let (back, times) = latest.map_or_else(
                    || ("–".to_owned(), "–".to_owned()),
                    |latest| (format!("{latest:.1}"), format!("{:.1}", latest / ours.1)),
                );
                let blocks = allocations(&subject.next, &moments);
                #[allow(clippy::cast_precision_loss)] // a few blocks for each of 256 moments
                let each = blocks as f64 / moments.len() as f64;
                println!(
                    "{:<18} {:<10} {next:>9.1} {:>9.1} {back:>10} {times:>9} {each:>12.1}",
                    if subject.name == "steadfast" { line } else { "" },
                    subject.name,
                    next / ours.0,
                );
                if subject.name == "steadfast" {
                    assert_eq!(blocks, 0, "{kind}: {line}");
                }
            }
        }
    }
    println!("\na schedule of ours: {} bytes", size_of::<Cron>());
}
