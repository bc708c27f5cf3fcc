//! The sentence that the documentation of a policy or schedule ends with.

use std::time::Duration;

use super::model::{Budget, Durable, Policy, Schedule, ScheduleShape};
use crate::duration::display;

/// "Waits 50 ms doubling to 200 ms, full jitter, 3 retries (4 attempts); the longest total wait is 350 ms. Retries …"
pub(crate) fn sentence(policy: &Policy) -> String {
    let Policy { base, cap, retries, jitter: (jitter, _), on, gate, budget, .. } = policy;
    let growth = if *jitter == "decorrelated" { "growing" } else { "doubling" };
    let waits = if base == cap {
        format!("Waits up to {}", display(*base))
    } else {
        format!("Waits {} {growth} to {}", display(*base), display(*cap))
    };
    let plural = if *retries == 1 { "retry" } else { "retries" };
    let kinds = on.iter().map(|kind| format!("`{}`", kind.word)).collect::<Vec<_>>().join(", ");
    let gate = if *gate {
        " A replay waits for its turn in a queue of this process, and so does whoever comes while it is in use."
    } else {
        ""
    };
    let budget = budget.as_ref().map(share).unwrap_or_default();
    format!(
        "{waits}, {jitter} jitter, {retries} {plural} ({} attempts); the longest total wait is {}. Retries {kinds}.{gate}{budget}",
        retries + 1,
        display(longest_total(policy)),
    )
}

/// The sum of the gaps before jitter, each as long as it may become.
pub(crate) fn longest_total(policy: &Policy) -> Duration {
    let (factor, ahead): (u32, u32) = if policy.jitter.0 == "decorrelated" { (3, 1) } else { (2, 0) };
    (0..policy.retries)
        .map(|n| {
            let growth = factor.saturating_pow(n + ahead);
            policy.base.checked_mul(growth).unwrap_or(policy.cap).min(policy.cap)
        })
        .sum()
}

/// " In this process, retries are at most 10 % of the calls, and 1 a second."
fn share(budget: &Budget) -> String {
    let Budget { ratio, min_per_second } = budget;
    let percent = format!("{}.{:04}", ratio / 10_000, ratio % 10_000);
    let percent = percent.trim_end_matches('0').trim_end_matches('.');
    let free = if *min_per_second == 0 { String::new() } else { format!(", and {min_per_second} a second") };
    format!(" In this process, retries are at most {percent} % of the calls{free}.")
}

/// "Waits 1 s doubling to 1 h, 20 attempts; the longest total wait is 9.14 h."
pub(crate) fn durable(durable: &Durable) -> String {
    let Durable { base, cap, attempts } = durable;
    let total: Duration = (1..*attempts).map(|failed| doubled(*base, failed - 1, *cap)).sum();
    format!(
        "Waits {} doubling to {}, equal jitter by count and key, {attempts} attempts; the longest total wait is {}.",
        display(*base),
        display(*cap),
        display(total),
    )
}

fn doubled(base: Duration, times: u32, cap: Duration) -> Duration {
    base.checked_mul(2_u32.saturating_pow(times)).unwrap_or(cap).min(cap)
}

/// "Waits 1 s after each run, proportional jitter; at most 5 times after the first run."
pub(crate) fn schedule(schedule: &Schedule) -> String {
    let grows = |how: &str, base: Duration, cap: Duration| {
        if base == cap {
            format!("Waits {} after each run", display(base))
        } else {
            format!("Waits {} {how} to {} after each run", display(base), display(cap))
        }
    };
    let waits = match schedule.shape {
        ScheduleShape::Recurs => "Runs again at once".to_owned(),
        ScheduleShape::Spaced(delay) => format!("Waits {} after each run", display(delay)),
        ScheduleShape::Fixed(period) => {
            format!("Runs every {}, counted from the start of the first run", display(period))
        }
        ScheduleShape::Exponential { base, cap } => grows("doubling", base, cap),
        ScheduleShape::Fibonacci { base, cap } => grows("growing by the Fibonacci numbers", base, cap),
    };
    let jitter = schedule.jitter.map(|(word, _)| format!(", {word} jitter")).unwrap_or_default();
    let times = schedule.times.map(|times| match times {
        1 => "at most once after the first run".to_owned(),
        times => format!("at most {times} times after the first run"),
    });
    let limit = schedule.limit.map(|limit| format!("for at most {}", display(limit)));
    let bounds: Vec<String> = [times, limit].into_iter().flatten().collect();
    let bounds = if bounds.is_empty() { "without an end".to_owned() } else { bounds.join(" and ") };
    format!("{waits}{jitter}; {bounds}.")
}
