//! What hooks see and change.

use std::{cell::Cell, time::Duration};

use steadfast::{
    Classify as _, Stopped,
    schedule::{self, Step},
};
use tokio::time::{Instant, sleep};

use super::{Starts, WorkError, ms};
use crate::retry;

#[tokio::test(start_paused = true)]
async fn a_tap_sees_the_whole_step_before_its_wait() {
    let mut seen = Vec::new();
    let counter = Cell::new(0);
    let work = async || {
        sleep(ms(50)).await;
        counter.update(|count| count + 10);
        Ok::<u32, WorkError>(counter.get())
    };
    let growing = schedule::of::<retry::growing>().tap(|step: &Step<'_, u32>| {
        seen.push((*step.input, step.output, step.attempt, step.delay.as_millis(), step.elapsed.as_millis()));
    });
    assert_eq!(growing.repeat(work).await.unwrap(), 8);
    let expected = [
        (10, 0, 1, 100, 50),
        (20, 1, 2, 100, 200),
        (30, 2, 3, 200, 350),
        (40, 3, 4, 300, 600),
        (50, 4, 5, 500, 950),
        (60, 5, 6, 800, 1500),
        (70, 6, 7, 1000, 2350),
        (80, 7, 8, 1000, 3400),
    ];
    assert_eq!(seen, expected, "and nothing of the run after which it ended");
}

#[tokio::test(start_paused = true)]
async fn a_tap_of_a_retry_sees_the_error() {
    let mut seen = Vec::new();
    let runs = Cell::new(0);
    let work = async || {
        runs.update(|runs| runs + 1);
        Err::<(), _>(WorkError::Unavailable(runs.get()))
    };
    let told = schedule::of::<retry::backing_off>().tap(|step: &Step<'_, WorkError>| {
        let WorkError::Unavailable(run) = step.input else { panic!("{step:?}") };
        seen.push((*run, step.output, step.attempt));
        let whole = ms(50 << step.attempt);
        assert!((whole * 4 / 5..=whole).contains(&step.delay), "{step:?}");
    });
    told.retry_or_else(work, async |error, _| Err::<(), _>(error)).await.unwrap_err();
    assert_eq!(seen, [(1, 0, 1), (2, 1, 2), (3, 2, 3)]);
}

/// What the hooks before it made of the delay, and a tap sees what is waited wherever it stands.
#[tokio::test(start_paused = true)]
async fn hooks_stand_in_their_order_and_a_tap_sees_the_end() {
    let (before, after) = (Cell::new(ms(0)), Cell::new(ms(0)));
    let starts = Starts::new();
    let ticks = schedule::of::<retry::ticks>()
        .tap(|step: &Step<'_, ()>| before.set(step.delay))
        .modify_delay(|step: &Step<'_, ()>| step.delay * 2)
        .modify_delay(|step: &Step<'_, ()>| step.delay + ms(500))
        .tap(|step: &Step<'_, ()>| after.set(step.delay));
    let work = async || {
        starts.note();
        Ok::<_, WorkError>(())
    };
    ticks.repeat(work).await.unwrap();
    assert_eq!(starts.told(), [0, 2500, 5000, 7500, 10_000, 12_500]);
    assert_eq!((before.get(), after.get()), (ms(2500), ms(2500)));
}

/// The larger of what was drawn and what the provider asked for, as the application reads it.
#[tokio::test(start_paused = true)]
async fn a_delay_is_modified_by_what_the_provider_asked_for() {
    let asks = |wait: Duration| async move {
        let runs = Cell::new(0);
        let work = async || {
            runs.update(|runs| runs + 1);
            if runs.get() == 1 { Err(WorkError::Later { wait }) } else { Ok(()) }
        };
        let start = Instant::now();
        let polite = schedule::of::<retry::backing_off>().modify_delay(|step: &Step<'_, WorkError>| {
            step.input
                .failure()
                .and_then(|failure| failure.retry_after)
                .map_or(step.delay, |asked| asked.max(step.delay))
        });
        polite.retry_or_else(work, async |error, _: Stopped| Err(error)).await.unwrap();
        start.elapsed()
    };
    assert_eq!(asks(ms(650)).await, ms(650));
    let short = asks(ms(20)).await;
    assert!((ms(80)..=ms(101)).contains(&short), "{short:?}");
}

/// No change of a delay leads past the end of the schedule.
#[tokio::test(start_paused = true)]
async fn a_modified_delay_has_to_fit_into_the_time_of_the_schedule() {
    let starts = Starts::new();
    let work = async || {
        starts.note();
        Ok::<_, WorkError>(())
    };
    let longer = schedule::of::<retry::half_a_minute>().modify_delay(|step: &Step<'_, ()>| step.delay + ms(6_000));
    assert_eq!(longer.repeat(work).await.unwrap(), 1);
    assert_eq!(starts.told(), [0, 16_000]);
    let endless = schedule::of::<retry::half_a_minute>().modify_delay(|_: &Step<'_, ()>| Duration::MAX);
    assert_eq!(endless.repeat(async || Ok::<_, WorkError>(())).await.unwrap(), 0);
}
