//! Retries with a fallback: what is retried, what is told, and that one layer retries.

use std::{cell::Cell, panic::AssertUnwindSafe, time::Duration};

use futures_util::FutureExt as _;
use metrics_util::debugging::{DebugValue, DebuggingRecorder};
use sqlx::SqlitePool;
use steadfast::{
    Kind, Stopped, UnitFailure, atomic_unit, durable, provider_call,
    schedule::{self, Step},
    sqlite::Tx,
    within,
};
use tokio::time::{Instant, sleep, timeout};

use super::{WorkError, ms};
use crate::{engines::Runs, retry};

/// What `or_else` was told, of work that fails each time.
async fn told(fail: impl Fn(u32) -> WorkError) -> (WorkError, Stopped, u32, Duration) {
    let (runs, start) = (Runs::default(), Instant::now());
    let work = async || Err::<(), _>(fail(runs.count()));
    let backing_off = schedule::of::<retry::backing_off>();
    let (error, stopped) =
        backing_off.retry_or_else(work, async |error, stopped| Err((error, stopped))).await.unwrap_err();
    (error, stopped, runs.total(), start.elapsed())
}

#[tokio::test(start_paused = true)]
async fn a_success_is_the_result_and_needs_no_fallback() {
    let runs = Runs::default();
    let work = async || {
        let run = runs.count();
        if run < 3 { Err(WorkError::Unavailable(run)) } else { Ok(run) }
    };
    let start = Instant::now();
    let backing_off = schedule::of::<retry::backing_off>();
    let value = backing_off.retry_or_else(work, async |_, _| panic!("it was not needed")).await;
    assert_eq!(value.map_err(|error: WorkError| error).unwrap(), 3);
    assert!((ms(240)..=ms(302)).contains(&start.elapsed()), "{:?}", start.elapsed());
}

#[tokio::test(start_paused = true)]
async fn when_it_is_spent_the_fallback_has_the_last_error_and_answers() {
    let (error, stopped, runs, took) = told(WorkError::Unavailable).await;
    assert!(matches!(error, WorkError::Unavailable(4)), "{error:?}");
    assert_eq!((stopped, runs), (Stopped::Spent, 4));
    assert!((ms(560)..=ms(703)).contains(&took), "{took:?}");
    let work = async || Err::<&str, _>(WorkError::Unavailable(0));
    let backing_off = schedule::of::<retry::backing_off>();
    let value = backing_off.retry_or_else(work, async |_, _| Ok::<_, WorkError>("of yesterday")).await;
    assert_eq!(value.unwrap(), "of yesterday");
}

#[tokio::test(start_paused = true)]
async fn a_retry_may_end_by_the_clock() {
    let (runs, start) = (Runs::default(), Instant::now());
    let work = async || {
        sleep(ms(5_000)).await;
        Err::<(), _>(WorkError::Unavailable(runs.count()))
    };
    let for_a_minute = schedule::of::<retry::for_a_minute>();
    let stopped = for_a_minute.retry_or_else(work, async |_, stopped| Err::<(), _>(stopped)).await.unwrap_err();
    assert_eq!(stopped, Stopped::Spent);
    // Five seconds each, 8 to 10 apart: the fifth begins after 52 to 60 seconds, and a sixth would after 65 at least.
    assert_eq!(runs.total(), 5);
    assert!(start.elapsed() <= ms(65_000), "{:?}", start.elapsed());
}

#[tokio::test(start_paused = true)]
async fn only_what_a_policy_could_name_is_retried() {
    for kind in [Kind::StatementTimeout, Kind::AttemptTimeout, Kind::PoolExhausted, Kind::Nested, Kind::Other] {
        let (_, stopped, runs, took) = told(|_| WorkError::Failed(kind)).await;
        assert_eq!((stopped, runs, took), (Stopped::NotRetried, 1, ms(0)), "{kind}");
    }
    let (error, stopped, runs, _) = told(|_| WorkError::Domain).await;
    assert!(matches!(error, WorkError::Domain));
    assert_eq!((stopped, runs), (Stopped::NotRetried, 1));
    for kind in [
        Kind::Deadlock,
        Kind::Serialization,
        Kind::LockTimeout,
        Kind::ConnectionLost,
        Kind::RateLimited,
        Kind::Unavailable,
    ] {
        let (_, stopped, runs, _) = told(|_| WorkError::Failed(kind)).await;
        assert_eq!((stopped, runs), (Stopped::Spent, 4), "{kind}");
    }
    let later_domain = told(|run| if run < 3 { WorkError::Unavailable(run) } else { WorkError::Domain }).await;
    assert!(matches!(later_domain, (WorkError::Domain, Stopped::NotRetried, 3, _)), "{later_domain:?}");
}

#[tokio::test(start_paused = true)]
async fn what_the_server_asks_is_a_floor_and_has_to_fit() {
    let later = |wait| move |run| if run == 1 { WorkError::Later { wait } } else { WorkError::Domain };
    // 500 ms and what was drawn, 80 to 100.
    let (_, _, runs, took) = told(later(ms(500))).await;
    assert!(runs == 2 && (ms(580)..=ms(601)).contains(&took), "{took:?}");
    let (_, _, runs, took) = told(later(ms(30))).await;
    assert!(runs == 2 && (ms(80)..=ms(101)).contains(&took), "the drawn delay is longer: {took:?}");
    // All delays of the schedule together take 700 ms at most.
    let (error, stopped, runs, took) = told(later(ms(701))).await;
    assert!(matches!(error, WorkError::Later { wait } if wait == ms(701)));
    assert_eq!((stopped, runs, took), (Stopped::RetryAfter, 1, ms(0)));
    // With a deadline, that is what there is time for.
    let (_, _, runs, took) = within(ms(10_000), told(later(ms(5_000)))).await;
    assert!(runs == 2 && (ms(5_080)..=ms(5_101)).contains(&took), "{took:?}");
    let (_, stopped, runs, _) = within(ms(10_000), told(later(ms(10_001)))).await;
    assert_eq!((stopped, runs), (Stopped::RetryAfter, 1));
    let (_, stopped, runs, _) = told(later(Duration::MAX)).await;
    assert_eq!((stopped, runs), (Stopped::RetryAfter, 1));
}

/// A schedule that is bounded by time has no other time to give.
#[tokio::test(start_paused = true)]
async fn what_the_server_asks_has_to_fit_into_the_time_of_the_schedule() {
    for (asked, expected, runs_made) in [(61_000, Stopped::RetryAfter, 1), (45_000, Stopped::NotRetried, 2)] {
        let runs = Runs::default();
        let work = async || match runs.count() {
            1 => Err::<(), _>(WorkError::Later { wait: ms(asked) }),
            _ => Err(WorkError::Domain),
        };
        let for_a_minute = schedule::of::<retry::for_a_minute>();
        let stopped = for_a_minute.retry_or_else(work, async |_, stopped| Err::<(), _>(stopped)).await.unwrap_err();
        assert_eq!((stopped, runs.total()), (expected, runs_made), "{asked} ms");
    }
}

#[tokio::test(start_paused = true)]
async fn no_wait_is_begun_that_does_not_fit_into_the_callers_time() {
    // 80 to 100, 160 to 200, 320 to 400 ms.
    for (limit, runs_made, took) in [(50, 1, 0..=0), (230, 2, 80..=101), (500, 3, 240..=302), (1_000, 4, 560..=703)] {
        let (error, stopped, runs, waited) = within(ms(limit), told(WorkError::Unavailable)).await;
        assert!(matches!(error, WorkError::Unavailable(last) if last == runs), "the last real error: {error:?}");
        let expected = if runs_made == 4 { Stopped::Spent } else { Stopped::Deadline };
        assert_eq!((stopped, runs), (expected, runs_made), "{limit} ms");
        assert!(took.contains(&waited.as_millis()), "{waited:?} of {limit} ms");
    }
}

#[tokio::test(start_paused = true)]
async fn nothing_is_begun_when_the_time_is_over() {
    let late = within(ms(1_000), async {
        sleep(ms(1_000)).await;
        told(WorkError::Unavailable).await
    });
    let (error, stopped, runs, _) = late.await;
    let WorkError::Unit(failure) = error else { panic!("it ran: {error:?}") };
    assert_eq!((failure.kind(), failure.attempts(), failure.unit()), (Kind::AttemptTimeout, 0, "backing_off"));
    assert_eq!((stopped, runs), (Stopped::Deadline, 0));
    // A run that outlasts the time is the last one.
    let runs = Runs::default();
    let work = async || {
        sleep(ms(600)).await;
        Err::<(), _>(WorkError::Unavailable(runs.count()))
    };
    let backing_off = schedule::of::<retry::backing_off>();
    let stopped = within(ms(1_000), backing_off.retry_or_else(work, async |_, stopped| Err::<(), _>(stopped))).await;
    assert_eq!((stopped, runs.total()), (Err(Stopped::Deadline), 2));
}

/// A timer has whole milliseconds: a wait that fits can end after the time all the same, and then it is too late.
#[tokio::test(start_paused = true)]
async fn after_a_wait_that_ended_too_late_nothing_is_begun() {
    let just_fits = |limit: Duration| async move {
        let runs = Runs::default();
        let work = async || Err::<(), _>(WorkError::Unavailable(runs.count()));
        let fits =
            schedule::of::<retry::backing_off>().modify_delay(|_: &Step<'_, WorkError>| Duration::from_micros(100_200));
        let retried = fits.retry_or_else(work, async |_, stopped| Err::<(), _>(stopped));
        let stopped = within(limit, retried).await.unwrap_err();
        let again = || async {
            runs.count();
            Ok::<_, WorkError>(())
        };
        let fits = schedule::of::<retry::ticks>().modify_delay(|_: &Step<'_, ()>| Duration::from_micros(100_200));
        let recurrences = within(limit, fits.repeat(again)).await.unwrap();
        (stopped, recurrences, runs.total())
    };
    assert_eq!(just_fits(Duration::from_micros(100_500)).await, (Stopped::Deadline, 0, 1 + 1));
    assert_eq!(just_fits(Duration::from_micros(110_500)).await, (Stopped::Deadline, 1, 2 + 2));
}

#[tokio::test(start_paused = true)]
async fn under_a_durable_retrier_contention_alone_is_retried() {
    let (_, stopped, runs, _) = durable::scope(told(WorkError::Unavailable)).await;
    assert_eq!((stopped, runs), (Stopped::Durable, 1));
    let (_, stopped, runs, _) = durable::scope(told(|_| WorkError::Failed(Kind::Deadlock))).await;
    assert_eq!((stopped, runs), (Stopped::Spent, 4));
}

/// A write without a key.
#[provider_call(retry = limited)]
async fn write(runs: &Runs) -> Result<(), WorkError> {
    runs.count();
    Ok(())
}

#[provider_call(retry = lavish, idempotent = read)]
async fn read(runs: &Runs) -> Result<(), WorkError> {
    Err(WorkError::Unavailable(runs.count()))
}

#[atomic_unit(retry = contention)]
async fn unit(_tx: &mut Tx<'_>, runs: &Runs) -> Result<(), WorkError> {
    runs.count();
    Ok(())
}

/// How often the work ran and what it failed with.
async fn nested<F: Future<Output = Result<(), WorkError>>>(work: impl Fn() -> F) -> (u32, Kind) {
    let runs = Runs::default();
    let counted = || {
        runs.count();
        work()
    };
    let backing_off = schedule::of::<retry::backing_off>();
    let error = backing_off.retry_or_else(counted, async |error, _| Err::<(), _>(error)).await.unwrap_err();
    let kind = steadfast::Classify::failure(&error).map(|failure| failure.kind);
    (runs.total(), kind.unwrap())
}

#[tokio::test(start_paused = true)]
async fn in_it_units_and_writes_do_not_run_and_reads_run_once() {
    let inner = Runs::default();
    assert_eq!(nested(|| write(&inner)).await, (1, Kind::Nested));
    let pool = SqlitePool::connect_lazy("sqlite::memory:").unwrap();
    assert_eq!(nested(|| unit(&pool, &inner)).await, (1, Kind::Nested));
    assert_eq!(inner.total(), 0, "neither has run");
    assert_eq!(nested(|| read(&inner)).await, (4, Kind::Unavailable));
    assert_eq!(inner.total(), 4, "one layer retries");
}

#[tokio::test(start_paused = true)]
async fn inside_of_another_scope_it_runs_once() {
    #[provider_call(retry = lavish, idempotent = read)]
    async fn outer(runs: &Runs, reasons: &Cell<Option<Stopped>>) -> Result<(), WorkError> {
        inner(runs, reasons).await
    }
    async fn inner(runs: &Runs, reasons: &Cell<Option<Stopped>>) -> Result<(), WorkError> {
        let work = async || Err::<(), _>(WorkError::Unavailable(runs.count()));
        let or_else = async |error, stopped| {
            reasons.set(Some(stopped));
            Err(error)
        };
        schedule::of::<retry::backing_off>().retry_or_else(work, or_else).await
    }
    let (runs, reasons) = (Runs::default(), Cell::new(None));
    let told = outer(&runs, &reasons).await;
    assert!(matches!(told, Err(WorkError::Unavailable(4))), "{told:?}");
    assert_eq!((runs.total(), reasons.get()), (4, Some(Stopped::NotRetried)));
}

/// The fallback stands outside of the scope: what it writes is not replayed.
#[tokio::test(start_paused = true)]
async fn the_fallback_is_no_part_of_the_scope() {
    let writes = Runs::default();
    let work = async || Err::<(), _>(WorkError::Unavailable(0));
    let backing_off = schedule::of::<retry::backing_off>();
    backing_off.retry_or_else(work, async |_, _| write(&writes).await).await.unwrap();
    assert_eq!(writes.total(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_panic_and_a_cancellation_pass_through() {
    let runs = Runs::default();
    let work = async || {
        assert!(runs.count() < 2, "a defect");
        Err::<(), _>(WorkError::Unavailable(0))
    };
    let retried = schedule::of::<retry::backing_off>().retry_or_else(work, async |error, _| Err::<(), _>(error));
    AssertUnwindSafe(retried).catch_unwind().await.unwrap_err();
    assert_eq!(runs.total(), 2);
    let runs = Runs::default();
    let work = async || Err::<(), _>(WorkError::Unavailable(runs.count()));
    let or_else = async |_, _| -> Result<(), UnitFailure> { panic!("nobody waits for it") };
    timeout(ms(150), schedule::of::<retry::backing_off>().retry_or_else(work, or_else)).await.unwrap_err();
    sleep(ms(10_000)).await;
    assert_eq!(runs.total(), 2);
}

#[tokio::test(start_paused = true)]
async fn waits_of_retries_are_counted_and_those_of_repeats_are_not() {
    let recorder = DebuggingRecorder::new();
    let counted = metrics::set_default_local_recorder(&recorder);
    told(WorkError::Unavailable).await;
    schedule::of::<retry::ticks>().repeat(async || Ok::<_, WorkError>(())).await.unwrap();
    drop(counted);
    let all = recorder.snapshotter().snapshot().into_vec();
    let [(key, _, _, DebugValue::Histogram(waits))] = &all[..] else { panic!("{all:?}") };
    assert_eq!(key.key().name(), "steadfast_retry_wait_seconds");
    let labels: Vec<_> = key.key().labels().map(|label| (label.key(), label.value())).collect();
    assert_eq!(labels, [("policy", "backing_off")]);
    assert_eq!(waits.len(), 3);
}
