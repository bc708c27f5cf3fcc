//! What ends a repetition, and what passes through it.

use std::{
    cell::Cell,
    panic::AssertUnwindSafe,
    sync::atomic::{AtomicU32, Ordering},
};

use futures_util::FutureExt as _;
use steadfast::{Kind, provider_call, schedule, within};
use tokio::time::{Instant, sleep, timeout};

use super::{WorkError, ms};
use crate::{engines::Runs, retry};

#[tokio::test(start_paused = true)]
async fn the_source_runs_once_before_the_schedule_is_asked() {
    let runs = Runs::default();
    let work = async || {
        runs.count();
        Ok::<_, WorkError>(())
    };
    assert_eq!(schedule::of::<retry::thrice>().repeat(work).await.unwrap(), 3);
    assert_eq!(runs.total(), 4);
}

#[tokio::test(start_paused = true)]
async fn the_first_failure_ends_it_and_is_not_retried() {
    for fails_at in [1, 3] {
        let runs = Runs::default();
        let work = async || {
            let run = runs.count();
            if run == fails_at { Err(WorkError::Unavailable(run)) } else { Ok(()) }
        };
        let told = schedule::of::<retry::tick>().repeat(work).await;
        assert!(matches!(told, Err(WorkError::Unavailable(run)) if run == fails_at), "{told:?}");
        assert_eq!(runs.total(), fails_at);
    }
}

#[tokio::test(start_paused = true)]
async fn passthrough_returns_the_last_value() {
    let runs = Runs::default();
    let last = schedule::of::<retry::ticks>()
        .passthrough()
        .repeat(async || Ok::<_, WorkError>(format!("run {}", runs.count())));
    assert_eq!(last.await.unwrap(), "run 6");
}

#[tokio::test(start_paused = true)]
async fn a_panic_passes_through() {
    let runs = Runs::default();
    let work = async || {
        assert!(runs.count() < 3, "a defect");
        Ok::<_, WorkError>(())
    };
    let told = AssertUnwindSafe(schedule::of::<retry::tick>().repeat(work)).catch_unwind().await;
    let panic = told.unwrap_err();
    assert_eq!(panic.downcast_ref::<&str>(), Some(&"a defect"));
    assert_eq!(runs.total(), 3);
}

#[tokio::test(start_paused = true)]
async fn cancelled_in_a_wait_or_in_a_run_it_is_gone() {
    for (takes, cancelled_after, begun) in [(0, 2500, 3), (600, 1700, 2)] {
        let (begun_runs, ended_runs) = (Runs::default(), Runs::default());
        let work = async || {
            begun_runs.count();
            sleep(ms(takes)).await;
            ended_runs.count();
            Ok::<_, WorkError>(())
        };
        let worker = schedule::of::<retry::tick>().repeat(work);
        timeout(ms(cancelled_after), worker).await.unwrap_err();
        let ended = if takes == 0 { begun } else { begun - 1 };
        assert_eq!((begun_runs.total(), ended_runs.total()), (begun, ended));
        sleep(ms(10_000)).await;
        assert_eq!(begun_runs.total(), begun, "nothing goes on");
    }
}

/// Work that is always ready on a schedule without delays must not keep the only thread for itself.
#[tokio::test(start_paused = true)]
async fn a_delay_of_zero_lets_other_tasks_run() {
    static OTHERS: AtomicU32 = AtomicU32::new(0);
    tokio::spawn(async {
        loop {
            OTHERS.fetch_add(1, Ordering::Relaxed);
            tokio::task::yield_now().await;
        }
    });
    schedule::of::<retry::thrice>().repeat(async || Ok::<_, WorkError>(())).await.unwrap();
    assert!(OTHERS.load(Ordering::Relaxed) >= 3);
    let start = Instant::now();
    schedule::of::<retry::thrice>().repeat(async || Ok::<_, WorkError>(())).await.unwrap();
    assert_eq!(start.elapsed(), ms(0), "and no timer was asked");
}

#[tokio::test(start_paused = true)]
async fn the_callers_time_ends_it_without_an_error() {
    for (limit, runs_made, takes) in [(3_500, 4, 3_000), (3_000, 3, 2_000), (500, 1, 0)] {
        let runs = Runs::default();
        let start = Instant::now();
        let work = async || {
            runs.count();
            Ok::<_, WorkError>(())
        };
        let told = within(ms(limit), schedule::of::<retry::tick>().repeat(work)).await;
        assert_eq!((told.unwrap(), runs.total()), (u64::from(runs_made) - 1, runs_made), "{limit} ms");
        assert_eq!(start.elapsed(), ms(takes), "no wait is begun that does not fit");
    }
}

/// Also where there are no waits that could not fit.
#[tokio::test(start_paused = true)]
async fn no_run_begins_when_the_time_is_over() {
    let runs = Runs::default();
    let work = async || {
        runs.count();
        sleep(ms(600)).await;
        Ok::<_, WorkError>(())
    };
    assert_eq!(within(ms(1_000), schedule::of::<retry::thrice>().repeat(work)).await.unwrap(), 1);
    assert_eq!(runs.total(), 2);
}

/// It is no retry scope: what it repeats has taken effect, and is meant to again.
#[tokio::test(start_paused = true)]
async fn calls_inside_retry_as_their_policies_say() {
    #[provider_call(retry = limited)]
    async fn write(runs: &Runs) -> Result<(), WorkError> {
        if runs.count().is_multiple_of(2) { Ok(()) } else { Err(WorkError::Failed(Kind::RateLimited)) }
    }
    let runs = Runs::default();
    assert_eq!(schedule::of::<retry::thrice>().repeat(async || write(&runs).await).await.unwrap(), 3);
    assert_eq!(runs.total(), 8, "each of the four was refused once");
}

/// The shape of a worker: expected failures are handled in the pass, and the next one comes.
#[tokio::test(start_paused = true)]
async fn a_worker_goes_on_after_a_pass_that_failed() {
    let (passes, failures) = (Runs::default(), Cell::new(0));
    let pass = async || {
        if passes.count() % 2 == 0 { Err(WorkError::Unavailable(0)) } else { Ok(()) }
    };
    let worker = schedule::of::<retry::ticks>().repeat(async || {
        if pass().await.is_err() {
            failures.update(|failures| failures + 1);
        }
        Ok::<_, std::convert::Infallible>(())
    });
    let Ok(recurrences) = worker.await;
    assert_eq!((recurrences, failures.get()), (5, 3));
}
