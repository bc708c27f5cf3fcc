//! The runner under a virtual clock and leases in memory; no real time passes.

use std::{
    future::{pending, ready},
    sync::{Mutex, atomic::AtomicBool},
};

use super::*;
use crate::{
    clock::{Clock as _, JobClock},
    jobs::history::{Recorded, RecordsRuns},
    jobs::{
        Claim, Claimed, Cron, Job, JobError, JobMeta, LeaseError, LeaseErrorKind, LeaseMode, LeaseRow, LeaseStore,
        Listed, Meta, NeedsLeases, NoLeases, Registry, Run, RunOutcome,
    },
    testing::{MemoryLeases, VirtualClock},
};
use futures_core::future::BoxFuture;

const EVERY_MINUTE: Cron = Cron::from_masks(!0, !0, !0, !0, !0);
const NIGHTLY: Cron = Cron::from_masks(1, 1 << 3, !0, !0, !0);

/// What the jobs did, in order.
#[derive(Clone, Default)]
struct App(Arc<Mutex<Vec<String>>>);

impl App {
    fn note(&self, what: &str, slot: Slot) {
        self.0.lock().expect("no panic holds it").push(format!("{what} {slot}"));
    }

    fn notes(&self) -> Vec<String> {
        self.0.lock().expect("no panic holds it").clone()
    }

    fn count(&self, what: &str) -> usize {
        self.notes().iter().filter(|note| note.starts_with(what)).count()
    }
}

/// A job of these tests: its constants and a body.
macro_rules! job {
    ($job:ident, $name:literal, $cron:expr, $exclusive:literal, |$run:ident, $app:ident| $body:expr) => {
        struct $job;
        impl JobMeta for $job {
            const META: Meta = Meta {
                name: $name,
                cron: $cron,
                cron_text: "",
                exclusive: $exclusive,
                timeout: Duration::from_mins(5),
                lease: LeaseMode::new(false, false),
                catch_up: None,
                splay: Duration::ZERO,
                lease_in: None,
            };
        }
        impl Listed<App> for $job {
            const ENTRY: Entry<App> = Entry::job::<Self>();
        }
        impl Job<App> for $job {
            async fn run($run: Run<'_>, $app: &App) -> Result<(), JobError> {
                $body
            }
        }
    };
}

job!(Minutely, "minutely", EVERY_MINUTE, false, |run, app| {
    app.note("minutely", run.slot());
    Ok(())
});
job!(Nightly, "nightly", NIGHTLY, true, |run, app| {
    app.note("nightly", run.slot());
    Ok(())
});
job!(Panicking, "panicking", EVERY_MINUTE, true, |run, app| {
    app.note("panicking", run.slot());
    panic!("the job's own")
});
job!(Failing, "failing", EVERY_MINUTE, true, |run, app| {
    app.note("failing", run.slot());
    Err("no mail today".into())
});
job!(Slow, "slow", EVERY_MINUTE, true, |run, app| {
    app.note("slow begins", run.slot());
    run.clock().sleep(Duration::from_secs(150)).await;
    app.note("slow ends", run.slot());
    Ok(())
});
job!(Hung, "hung", EVERY_MINUTE, true, |run, app| {
    app.note("hung", run.slot());
    pending().await
});

/// Its text panics, and so does its end.
#[derive(Debug)]
struct Untellable;
impl std::fmt::Display for Untellable {
    fn fmt(&self, _: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        panic!("the error's own")
    }
}
impl std::error::Error for Untellable {}
impl Drop for Untellable {
    fn drop(&mut self) {
        panic!("the error's end")
    }
}

/// A panic that carries a panic that carries a panic.
struct Nested(u32);
impl Drop for Nested {
    fn drop(&mut self) {
        if self.0 > 0 {
            std::panic::resume_unwind(Box::new(Self(self.0 - 1)));
        }
    }
}

job!(Untold, "untold", EVERY_MINUTE, true, |run, app| {
    app.note("untold", run.slot());
    Err(Untellable.into())
});
job!(PanicsInPanics, "panics-in-panics", EVERY_MINUTE, false, |run, app| {
    app.note("panics", run.slot());
    std::panic::resume_unwind(Box::new(Nested(4)))
});
job!(Blocking, "blocking", EVERY_MINUTE, false, |run, app| {
    app.note("blocking", run.slot());
    while app.count("go") == 0 {
        std::thread::sleep(Duration::from_millis(1));
    }
    Ok(())
});

static PLAIN: Registry<App, NoLeases> = Registry::new(&[Entry::of::<Minutely>()]);
static ALL: Registry<App, NeedsLeases> = Registry::new(&[
    Entry::of::<Panicking>(),
    Entry::of::<Slow>(),
    Entry::of::<Failing>(),
    Entry::of::<Hung>(),
    Entry::of::<Minutely>(),
    Entry::of::<Nightly>(),
]);
static ODD: Registry<App, NeedsLeases> =
    Registry::new(&[Entry::of::<Untold>(), Entry::of::<PanicsInPanics>(), Entry::of::<Minutely>()]);
static ONLY_BLOCKING: Registry<App, NoLeases> = Registry::new(&[Entry::of::<Blocking>()]);
static ONLY_SLOW: Registry<App, NeedsLeases> = Registry::new(&[Entry::of::<Slow>()]);
static ONLY_HUNG: Registry<App, NeedsLeases> = Registry::new(&[Entry::of::<Hung>()]);
static ONLY_NIGHTLY: Registry<App, NeedsLeases> = Registry::new(&[Entry::of::<Nightly>()]);

/// Lets every task run until all of them wait.
async fn settle() {
    for _ in 0..100 {
        tokio::task::yield_now().await;
    }
}

fn slot(day: u32, hour: u32, minute: u32) -> Slot {
    Slot::utc(2026, 1, day, hour, minute).expect("a date")
}

fn start() -> (VirtualClock, App, MemoryLeases) {
    let clock = VirtualClock::at(slot(1, 0, 0));
    (clock.clone(), App::default(), MemoryLeases::new(clock))
}

async fn minutes(clock: &VirtualClock, minutes: u32) {
    for _ in 0..minutes * 2 {
        clock.advance(Duration::from_secs(30));
        settle().await;
    }
}

#[tokio::test]
async fn a_restart_in_the_same_minute_repeats_nothing_and_every_minute_runs_once() {
    let (clock, app, _) = start();
    for _ in 0..2 {
        let runner = tokio::spawn(PLAIN.with(app.clone()).clock(clock.clone()).run_until(pending()).into_future());
        settle().await;
        assert_eq!(app.count("minutely"), 0);
        runner.abort();
    }
    tokio::spawn(PLAIN.with(app.clone()).clock(clock.clone()).run_until(pending()).into_future());
    settle().await;
    minutes(&clock, 3).await;
    let expected = [1, 2, 3].map(|minute| format!("minutely {}", slot(1, 0, minute)));
    assert_eq!(app.notes(), expected);
}

#[tokio::test]
async fn a_timer_that_fires_early_repeats_nothing() {
    let (clock, app, leases) = start();
    let jobs = ONLY_NIGHTLY.with(app.clone()).clock(clock.clone()).leases(leases);
    tokio::spawn(jobs.run_until(pending()).into_future());
    settle().await;
    // The wait is over a millisecond before the wall clock says so.
    clock.set_wall(slot(1, 3, 0).time() - Duration::from_millis(1));
    clock.advance_waits(Duration::from_secs(30));
    settle().await;
    assert_eq!(app.count("nightly"), 0);
    clock.advance(Duration::from_millis(1));
    settle().await;
    minutes(&clock, 2).await;
    assert_eq!(app.notes(), [format!("nightly {}", slot(1, 3, 0))]);
}

#[tokio::test]
async fn a_clock_that_goes_back_repeats_nothing() {
    let (clock, app, _) = start();
    tokio::spawn(PLAIN.with(app.clone()).clock(clock.clone()).run_until(pending()).into_future());
    settle().await;
    minutes(&clock, 5).await;
    clock.set_wall(slot(1, 0, 2).time());
    minutes(&clock, 4).await;
    let expected: Vec<_> = (1..=6).map(|minute| format!("minutely {}", slot(1, 0, minute))).collect();
    assert_eq!(app.notes(), expected);
}

#[tokio::test]
async fn a_clock_that_lied_by_days_does_not_stop_the_jobs() {
    let (clock, app, _) = start();
    tokio::spawn(PLAIN.with(app.clone()).clock(clock.clone()).run_until(pending()).into_future());
    settle().await;
    clock.set_wall(slot(11, 0, 0).time());
    minutes(&clock, 1).await;
    clock.set_wall(slot(1, 0, 5).time());
    minutes(&clock, 2).await;
    let expected =
        [slot(11, 0, 0), slot(11, 0, 1), slot(1, 0, 6), slot(1, 0, 7)].map(|slot| format!("minutely {slot}"));
    assert_eq!(app.notes(), expected);
}

#[tokio::test]
async fn a_jump_of_the_wall_clock_neither_ends_nor_prolongs_a_run() {
    for jump in [slot(11, 0, 0), slot(1, 0, 0)] {
        let (clock, app, leases) = start();
        clock.set_wall(slot(5, 0, 0).time());
        let jobs = ONLY_HUNG.with(app).clock(clock.clone()).leases(leases);
        let run = tokio::spawn(async move { crate::testing::run(&jobs, "hung", slot(5, 0, 0)).await });
        settle().await;
        clock.set_wall(jump.time());
        clock.advance_waits(Duration::from_mins(5) - Duration::from_millis(1));
        settle().await;
        assert!(!run.is_finished(), "five minutes are five minutes");
        clock.advance_waits(Duration::from_millis(1));
        settle().await;
        assert!(run.is_finished(), "and no longer than that");
    }
}

#[tokio::test]
async fn a_wake_after_a_long_sleep_runs_the_latest_slot_only() {
    for asleep in [Duration::from_hours(14 * 24), Duration::from_mins(200)] {
        let (clock, app, _) = start();
        tokio::spawn(PLAIN.with(app.clone()).clock(clock.clone()).run_until(pending()).into_future());
        settle().await;
        clock.advance(asleep);
        settle().await;
        let woken = Slot::floor(slot(1, 0, 0).time() + asleep);
        assert_eq!(app.notes(), [format!("minutely {woken}")]);
        minutes(&clock, 1).await;
        assert_eq!(app.count("minutely"), 2);
    }
}

#[tokio::test]
async fn slow_hung_failing_and_panicking_jobs_delay_nobody() {
    let (clock, app, leases) = start();
    tokio::spawn(ALL.with(app.clone()).clock(clock.clone()).leases(leases.clone()).run_until(pending()).into_future());
    settle().await;
    minutes(&clock, 10).await;
    assert_eq!(app.count("minutely"), 10, "on time every minute");
    assert_eq!(app.count("failing"), 10, "a typed failure releases");
    // 150 s each: minutes 1, 4, 7 and 10.
    assert_eq!(app.count("slow begins"), 4);
    assert_eq!(app.count("slow ends"), 3);
    // A panic keeps the lease (timeout and one minute); so does a timeout, and it ends after five minutes.
    assert_eq!(app.count("panicking"), 2, "{:?}", app.notes());
    assert_eq!(app.count("hung"), 2);
    assert!(leases.is_held("panicking") && !leases.is_held("failing"));
}

#[tokio::test]
async fn errors_and_panics_that_panic_again_end_with_their_run() {
    let (clock, app, leases) = start();
    let jobs = ODD.with(app.clone()).clock(clock.clone()).leases(leases.clone());
    let runner = tokio::spawn(jobs.run_until(pending()).into_future());
    settle().await;
    minutes(&clock, 3).await;
    assert!(!runner.is_finished(), "the loop lives");
    assert_eq!(["untold", "panics", "minutely"].map(|job| app.count(job)), [3; 3]);
    assert!(!leases.is_held("untold"), "a typed failure releases, whatever its text does");
}

/// On a thread of its own, as in a server; the runner's runtime is another one, so that it can be left.
#[test]
fn a_job_that_never_yields_does_not_hold_the_shutdown() {
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(3).enable_all().build().expect("a runtime");
    let (clock, app, _) = start();
    let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
    let jobs = ONLY_BLOCKING.with(app.clone()).clock(clock.clone());
    let runner = runtime.spawn(jobs.run_until(async { drop(stopped.await) }).into_future());
    let pass = |until: &dyn Fn() -> bool| {
        for _ in 0..5_000 {
            if until() {
                return true;
            }
            clock.advance(Duration::from_secs(1));
            std::thread::sleep(Duration::from_millis(1));
        }
        false
    };
    let began = pass(&|| app.count("blocking") == 1);
    stop.send(()).expect("listened to");
    let ended = pass(&|| runner.is_finished());
    // Before anything fails: the runtime waits for its threads.
    app.note("go", slot(1, 0, 0));
    assert!(began && ended, "began: {began}, ended: {ended}");
}

#[tokio::test]
async fn the_next_slots_of_all_jobs_are_in_order() {
    let (clock, app, _) = start();
    let all = |n| ALL.with(app.clone()).clock(clock.clone()).next(n);
    let minutely = ALL.iter().filter(|job| job.cron == EVERY_MINUTE).count();
    assert!(minutely > 1 && minutely < ALL.iter().count());
    assert_eq!(all(0).len(), 0);
    let next = all(2 * minutely + 1);
    assert!(next.is_sorted_by_key(|(_, slot)| *slot), "{next:?}");
    let of = |minute| next.iter().filter(|(_, at)| *at == slot(1, 0, minute)).count();
    assert_eq!((of(1), of(2), of(3)), (minutely, minutely, 1), "after the minute of now: {next:?}");
    let nightly = ALL.next(slot(1, 2, 59).time(), minutely + 1);
    assert_eq!(nightly.len(), minutely + 1);
    assert!(nightly.iter().any(|(job, at)| job.cron == NIGHTLY && *at == slot(1, 3, 0)), "{nightly:?}");
}

#[tokio::test]
async fn two_replicas_run_a_slot_once() {
    let (clock, app, leases) = start();
    for _ in 0..2 {
        let jobs = ONLY_NIGHTLY.with(app.clone()).clock(clock.clone()).leases(leases.clone());
        tokio::spawn(jobs.run_until(pending()).into_future());
    }
    settle().await;
    for day in 1..=3 {
        clock.set_wall(slot(day, 3, 0).time());
        clock.advance_waits(Duration::from_secs(30));
        settle().await;
    }
    assert_eq!(app.notes(), [1, 2, 3].map(|day| format!("nightly {}", slot(day, 3, 0))));
}

#[tokio::test]
async fn shutdown_drains_what_can_finish() {
    let (clock, app, leases) = start();
    let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
    let jobs = ONLY_SLOW.with(app.clone()).clock(clock.clone()).leases(leases.clone()).grace(Duration::from_secs(200));
    let runner = tokio::spawn(jobs.run_until(async { drop(stopped.await) }).into_future());
    settle().await;
    minutes(&clock, 1).await;
    assert!(leases.is_held("slow"));
    stop.send(()).expect("listened to");
    settle().await;
    minutes(&clock, 3).await;
    runner.await.expect("no panic").expect("started");
    assert_eq!(
        app.notes(),
        ["slow begins", "slow ends"].map(|what| format!("{what} {}", slot(1, 0, 1))),
        "no new claim"
    );
    assert!(!leases.is_held("slow"));
}

#[tokio::test]
async fn shutdown_cancels_after_the_grace_and_releases_with_the_slot_kept() {
    let (clock, app, leases) = start();
    let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
    let jobs = ONLY_HUNG.with(app.clone()).clock(clock.clone()).leases(leases.clone());
    let runner = tokio::spawn(jobs.run_until(async { drop(stopped.await) }).into_future());
    settle().await;
    minutes(&clock, 1).await;
    stop.send(()).expect("listened to");
    settle().await;
    clock.advance(Duration::from_secs(24));
    settle().await;
    assert!(!runner.is_finished() && leases.is_held("hung"));
    clock.advance(Duration::from_secs(1));
    settle().await;
    assert!(runner.is_finished());
    assert!(!leases.is_held("hung"));
    assert_eq!(leases.last_slot("hung"), Some(slot(1, 0, 1)));
}

/// Rows of the history take 15 s each, as a locked table makes them.
struct SlowHistory(VirtualClock, AtomicBool);

impl RecordsRuns for SlowHistory {
    fn record(&self, _: Recorded) -> BoxFuture<'_, Result<(), Box<dyn std::error::Error + Send + Sync>>> {
        let wait = self.0.sleep(Duration::from_secs(15));
        Box::pin(async move {
            wait.await;
            Ok(())
        })
    }

    fn fails(&self) -> &AtomicBool {
        &self.1
    }
}

job!(FiftySeconds, "fifty", EVERY_MINUTE, true, |run, app| {
    app.note("fifty", run.slot());
    run.clock().sleep(Duration::from_secs(50)).await;
    Ok(())
});
static ONLY_FIFTY: [Entry<App>; 1] = [Entry::of::<FiftySeconds>()];

#[tokio::test]
async fn a_slow_history_keeps_no_slot_from_running() {
    for slow in [false, true] {
        let (clock, app, leases) = start();
        let history = slow.then(|| Arc::new(SlowHistory(clock.clone(), AtomicBool::new(false))) as _);
        let (shared, store) = (Arc::new(app.clone()), Some(Arc::new(leases) as _));
        let boundary = Boundary { app: shared, clock: JobClock::new(clock.clone()), store, history };
        let runner = tokio::spawn(Runner::new(&ONLY_FIFTY, boundary).run(Duration::from_secs(1), pending()));
        settle().await;
        for _ in 0..10 * 12 {
            clock.advance(Duration::from_secs(5));
            settle().await;
        }
        runner.abort();
        assert_eq!(app.notes().len(), 10, "slow: {slow} {:?}", app.notes());
    }
}

mod store;
