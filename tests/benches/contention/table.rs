//! The figures of the rounds: counts over all of them, times as the median of the rounds.

use std::time::Duration;

use crate::{EFFECT, GATE, NAMES, QUEUE, Round};

struct Figures {
    success: f64,
    attempts: f64,
    goodput: f64,
    p50: f64,
    p99: f64,
    answered: f64,
}

pub(crate) fn print(engine: &str, title: &str, tasks: u64, units: u64, rounds: &[Vec<Round>; NAMES.len()]) {
    let times = rounds[0].len();
    println!("{engine}, {title}: {tasks} tasks on 4 rows, {units} each, median of {times} rounds\n");
    println!(
        "{:<24} {:>9} {:>10} {:>10} {:>8} {:>8} {:>9} {:>11} {:>8}",
        "", "success %", "attempts/1", "goodput/s", "p50, ms", "p99, ms", "all, ms", "goodput ÷ E", "p99 ÷ E"
    );
    let figures = rounds.each_ref().map(|rounds| figures(rounds));
    for (name, of) in NAMES.iter().zip(&figures) {
        println!(
            "{name:<24} {:>9.1} {:>10.2} {:>10.0} {:>8.1} {:>8.1} {:>9.1} {:>11.2} {:>8.2}",
            of.success,
            of.attempts,
            of.goodput,
            of.p50,
            of.p99,
            of.answered,
            of.goodput / figures[EFFECT].goodput,
            of.p99 / figures[EFFECT].p99,
        );
    }
    println!("\nE: 80–120 %. With the gate all are answered in {:.2} × the time of the fair queue by hand.\n", {
        figures[GATE].answered / figures[QUEUE].answered
    });
}

#[allow(clippy::cast_precision_loss)] // counts of a few thousand
fn figures(rounds: &[Round]) -> Figures {
    let successes = |round: &Round| round.latencies.len() as f64;
    let all = rounds.iter().map(successes).sum::<f64>();
    let asked = rounds.iter().map(|round| round.asked).sum::<u64>() as f64;
    let attempts = rounds.iter().map(|round| round.attempts).sum::<u64>() as f64;
    Figures {
        success: 100.0 * all / asked,
        attempts: attempts / all,
        goodput: median(rounds.iter().map(|round| successes(round) / round.took.as_secs_f64())),
        p50: median(rounds.iter().filter_map(|round| percentile(&round.latencies, 50))),
        p99: median(rounds.iter().filter_map(|round| percentile(&round.latencies, 99))),
        answered: median(rounds.iter().map(|round| round.took.as_secs_f64() * 1e3)),
    }
}

fn percentile(latencies: &[Duration], percent: usize) -> Option<f64> {
    let mut sorted = latencies.to_vec();
    sorted.sort_unstable();
    let rank = (sorted.len() * percent).div_ceil(100);
    Some(sorted.get(rank.checked_sub(1)?)?.as_secs_f64() * 1e3)
}

fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<_> = values.collect();
    values.sort_unstable_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}
