//! The delays of each shape, and what ends them.

use std::convert::Infallible;

use steadfast::schedule::{self, NamedSchedule, Step};
use tokio::time::sleep;

use super::{Starts, ms};
use crate::retry;

/// When each run of instant work begins, in milliseconds.
async fn starts<S: NamedSchedule>() -> Vec<u128> {
    let starts = Starts::new();
    let work = async || {
        starts.note();
        Ok::<_, Infallible>(())
    };
    let Ok(recurrences) = schedule::of::<S>().repeat(work).await;
    let told = starts.told();
    assert_eq!(told.len() as u64, recurrences + 1);
    told
}

#[tokio::test(start_paused = true)]
async fn recurs_runs_so_many_times_more_and_at_once() {
    assert_eq!(starts::<retry::thrice>().await, [0, 0, 0, 0]);
}

#[tokio::test(start_paused = true)]
async fn spaced_waits_after_each_run() {
    assert_eq!(starts::<retry::ticks>().await, [0, 1000, 2000, 3000, 4000, 5000]);
    let starts = Starts::new();
    let work = async || {
        starts.note();
        sleep(ms(300)).await;
        Ok::<_, Infallible>(())
    };
    let Ok(5) = schedule::of::<retry::ticks>().repeat(work).await else { panic!() };
    assert_eq!(starts.told(), [0, 1300, 2600, 3900, 5200, 6500], "after the run, not from its start");
}

#[tokio::test(start_paused = true)]
async fn exponential_doubles_to_its_cap() {
    let told = starts::<retry::doubling>().await;
    let delays: Vec<_> = told.windows(2).map(|pair| pair[1] - pair[0]).collect();
    assert_eq!(delays, [100, 200, 400, 800, 1600, 3200, 6400, 10_000, 10_000]);
}

#[tokio::test(start_paused = true)]
async fn fibonacci_grows_to_its_cap() {
    let told = starts::<retry::growing>().await;
    let delays: Vec<_> = told.windows(2).map(|pair| pair[1] - pair[0]).collect();
    assert_eq!(delays, [100, 100, 200, 300, 500, 800, 1000, 1000]);
}

#[tokio::test(start_paused = true)]
async fn a_time_bounds_the_start_of_the_last_run() {
    assert_eq!(starts::<retry::half_a_minute>().await, [0, 10_000, 20_000, 30_000]);
    assert_eq!(starts::<retry::bounded_twice>().await, [0, 10_000, 20_000, 30_000]);
    let starts = Starts::new();
    let work = async || {
        starts.note();
        sleep(ms(1)).await;
        Ok::<_, Infallible>(())
    };
    let Ok(2) = schedule::of::<retry::half_a_minute>().repeat(work).await else { panic!() };
    assert_eq!(starts.told(), [0, 10_001, 20_002], "the fourth would begin after 30 seconds");
}

/// The runs of a cadence of one second, whose first takes so long.
async fn cadence(first: u64) -> Vec<u128> {
    let starts = Starts::new();
    let work = async || {
        starts.note();
        let takes = if starts.told().len() == 1 { first } else { 10 };
        sleep(ms(takes)).await;
        Ok::<_, Infallible>(())
    };
    let Ok(4) = schedule::of::<retry::cadence>().repeat(work).await else { panic!() };
    starts.told()
}

#[tokio::test(start_paused = true)]
async fn fixed_keeps_its_cadence_and_does_not_pile_up() {
    assert_eq!(cadence(10).await, [0, 1000, 2000, 3000, 4000]);
    assert_eq!(cadence(1000).await, [0, 1000, 2000, 3000, 4000], "exactly one period");
    assert_eq!(cadence(3500).await, [0, 4000, 5000, 6000, 7000], "the three that were missed are left out");
    assert_eq!(cadence(4000).await, [0, 4000, 5000, 6000, 7000], "it ended at a moment");
    assert_eq!(cadence(4001).await, [0, 5000, 6000, 7000, 8000]);
}

/// A timer that is late by a millisecond must not be followed by a run at once.
#[tokio::test(start_paused = true)]
async fn a_late_timer_shifts_no_cadence_and_doubles_no_run() {
    let starts = Starts::new();
    let work = async || {
        starts.note();
        Ok::<_, Infallible>(())
    };
    let late = schedule::of::<retry::cadence>().modify_delay(|step: &Step<'_, ()>| step.delay + ms(1));
    let Ok(4) = late.repeat(work).await else { panic!() };
    assert_eq!(starts.told(), [0, 1001, 2001, 3001, 4001]);
}

/// Jitter goes downward, so a run may begin before its moment: the next one is meant for the moment after it all the same, and
/// none begins more than a period early.
#[tokio::test(start_paused = true)]
async fn a_jittered_cadence_meets_each_moment_once() {
    let told = starts::<retry::loose_cadence>().await;
    assert_eq!(told.len(), 201);
    for (moment, start) in (0_u128..).zip(told) {
        let period = moment.saturating_sub(1) * 1000..=moment * 1000;
        assert!(period.contains(&start), "{start} for {moment}");
    }
}

/// Of many draws: the shortest, the longest and the mean.
async fn draws<S: NamedSchedule>() -> [f64; 3] {
    let mut seen = Vec::new();
    let paced = schedule::of::<S>().tap(|step: &Step<'_, ()>| seen.push(step.delay.as_secs_f64()));
    let Ok(2000) = paced.repeat(async || Ok::<_, Infallible>(())).await else { panic!() };
    seen.pop();
    let mean = seen.iter().sum::<f64>() / 1999.0;
    [seen.iter().copied().fold(2.0, f64::min), seen.iter().copied().fold(0.0, f64::max), mean]
}

#[tokio::test(start_paused = true)]
async fn every_jitter_fills_its_range_and_never_passes_the_delay() {
    for (told, low) in [
        (draws::<retry::proportional_draws>().await, 0.8),
        (draws::<retry::equal_draws>().await, 0.5),
        (draws::<retry::full_draws>().await, 0.0),
    ] {
        let [least, most, mean] = told;
        let range = 1.0 - low;
        assert!(low <= least && least <= low + range / 20.0, "{told:?} of {low}");
        assert!(1.0 - range / 20.0 <= most && most <= 1.0, "{told:?} of {low}");
        assert!((mean - (low + range / 2.0)).abs() < range / 20.0, "{told:?} of {low}");
    }
}
