//! The history of runs: what is written of which run, and when it goes.

#![allow(clippy::unused_async, reason = "jobs that do nothing")]

use std::time::{Duration, SystemTime};

use steadfast::{
    Provide, Slot, job,
    jobs::{RunHistory, RunRecord},
    registry, testing,
    testing::{MemoryLeases, VirtualClock},
};

use super::engine::{self, Database, Pool, engine_test, sql};

#[derive(Debug, thiserror::Error)]
#[error("no such customer at postgres://app:hunter2@db/shop")]
struct Failure;

/// What the run does, and what it saw of itself in the history.
#[derive(Provide)]
struct App {
    history: RunHistory<engine::Engine>,
    seen: std::sync::Mutex<Vec<RunRecord>>,
}

#[job(cron = "* * * * *", timeout = "30s", name = "good")]
async fn good(
    _: Slot,
    history: &RunHistory<engine::Engine>,
    seen: &std::sync::Mutex<Vec<RunRecord>>,
) -> Result<(), sqlx::Error> {
    let mut runs = Vec::new();
    // Its own row is written beside it.
    while runs.is_empty() {
        tokio::task::yield_now().await;
        runs = history.recent("good", 1).await?;
    }
    seen.lock().unwrap().append(&mut runs);
    Ok(())
}

#[job(cron = "* * * * *", timeout = "30s", name = "failing")]
async fn failing(_: Slot) -> Result<(), Failure> {
    Err(Failure)
}

#[job(cron = "* * * * *", timeout = "30s", name = "panicking")]
async fn panicking(_: Slot) -> Result<(), Failure> {
    panic!("a bug")
}

#[job(cron = "* * * * *", exclusive, timeout = "30s", overlap = skip, name = "exclusive")]
async fn exclusive(_: Slot) -> Result<(), Failure> {
    Ok(())
}

registry! { static JOBS for App = [good, failing, panicking, exclusive]; }

async fn history(db: &Pool) -> RunHistory<engine::Engine> {
    let history = RunHistory::new(db);
    history.install().await.unwrap();
    history
}

fn start() -> Slot {
    Slot::utc(2026, 1, 2, 3, 0).unwrap()
}

engine_test! {
    async fn a_run_is_a_row_from_its_beginning_to_its_end() {
        let database = Database::create().await;
        let history = history(database.pool()).await;
        let clock = VirtualClock::at(start());
        clock.advance(Duration::from_millis(1500));
        let app = App { history: history.clone(), seen: std::sync::Mutex::default() };
        let jobs = JOBS.with(app).clock(clock.clone()).leases(MemoryLeases::new(clock.clone())).history(&history);
        for (name, outcome, error) in [
            ("good", "completed", None),
            ("failing", "failed", Some("no such customer at postgres://…")),
            ("panicking", "panicked", Some("a bug")),
        ] {
            assert_eq!(testing::run(&jobs, name, start()).await.unwrap().as_str(), outcome);
            let runs = history.recent(name, 9).await.unwrap();
            let [run] = &*runs else { panic!("{runs:?}") };
            assert_eq!((&*run.job, run.slot, &*run.started_by), (name, start(), "external"));
            assert_eq!((run.started_at, run.ended_at), (clock_now(&clock), Some(clock_now(&clock))));
            assert_eq!((run.outcome.as_deref(), run.error.as_deref(), run.run.len()), (Some(outcome), error, 32));
        }
        let seen = jobs.app().seen.lock().unwrap();
        assert_eq!((seen[0].ended_at, seen[0].outcome.as_deref()), (None, None), "while it ran");
    }
}

fn clock_now(clock: &VirtualClock) -> SystemTime {
    steadfast::clock::Clock::now(clock)
}

engine_test! {
    /// Who has not run is not there: nine of ten replicas lose each slot.
    async fn a_claim_that_was_lost_is_no_run() {
        let database = Database::create().await;
        let history = history(database.pool()).await;
        let clock = VirtualClock::at(start());
        let app = App { history: history.clone(), seen: std::sync::Mutex::default() };
        let jobs = JOBS.with(app).clock(clock.clone()).leases(MemoryLeases::new(clock)).history(&history);
        for _ in 0..3 {
            let _outcome = testing::run(&jobs, "exclusive", start()).await.unwrap();
        }
        assert!(jobs.run_now("exclusive").await.unwrap().is_completed());
        let mut by: Vec<_> = history.recent("exclusive", 9).await.unwrap().into_iter().map(|run| run.started_by).collect();
        by.sort();
        assert_eq!(by, ["external", "manual"]);
    }
}

engine_test! {
    async fn old_rows_go_and_those_of_other_jobs_stay() {
        let database = Database::create().await;
        let history = history(database.pool()).await.keep(Duration::from_hours(24));
        let clock = VirtualClock::at(start());
        let app = App { history: history.clone(), seen: std::sync::Mutex::default() };
        let jobs = JOBS.with(app).clock(clock.clone()).leases(MemoryLeases::new(clock.clone())).history(&history);
        let slots = async |name| history.recent(name, 99).await.unwrap().into_iter().map(|run| run.slot).collect::<Vec<_>>();
        let mut ran = Vec::new();
        for hours in [0, 12, 24, 25, 36, 49] {
            let slot = Slot::floor(start().time() + Duration::from_hours(hours));
            clock.set_wall(slot.time());
            let _failed = testing::run(&jobs, "failing", slot).await.unwrap();
            if hours == 0 {
                let _completed = testing::run(&jobs, "exclusive", slot).await.unwrap();
            }
            ran.insert(0, slot);
        }
        // A day old and no older: of 36, 25 (24 hours ago, less one) and 49 itself.
        assert_eq!(slots("failing").await, ran[..3], "{ran:?}");
        assert_eq!(slots("exclusive").await.len(), 1, "each job deletes its own");
        assert_eq!(history.recent("failing", 2).await.unwrap().len(), 2, "the limit");
        // By the machine's clock, all of them are old.
        history.prune().await.unwrap();
        assert!(slots("failing").await.is_empty() && slots("exclusive").await.is_empty());
    }
}

engine_test! {
    /// One connection for leases and history, and a run that is over before its first row is written.
    async fn no_lease_waits_for_the_history() {
        let database = Database::create().await;
        let pool = engine::single(&database).await;
        let history = history(&pool).await;
        let leases = engine::Leases::new(&pool);
        leases.install().await.unwrap();
        let app = App { history: history.clone(), seen: std::sync::Mutex::default() };
        let jobs = JOBS.with(app).leases(leases).history(&history);
        for _ in 0..3 {
            assert!(jobs.run_now("exclusive").await.unwrap().is_completed());
            assert_eq!(jobs.row("exclusive").await.unwrap().unwrap().held_until, None);
        }
        assert_eq!(history.recent("exclusive", 9).await.unwrap().len(), 3);
    }
}

engine_test! {
    /// A table that is not there, or gone: the run runs, and its outcome is its own.
    async fn a_run_does_not_depend_on_its_history() {
        let database = Database::create().await;
        let missing = RunHistory::new(database.pool());
        let app = App { history: missing.clone(), seen: std::sync::Mutex::default() };
        let clock = VirtualClock::at(start());
        let jobs = JOBS.with(app).clock(clock.clone()).leases(MemoryLeases::new(clock)).history(&missing);
        assert!(testing::run(&jobs, "exclusive", start()).await.unwrap().is_completed());
        let down = RunHistory::new(&engine::unreachable());
        let app = App { history: down.clone(), seen: std::sync::Mutex::default() };
        let clock = VirtualClock::at(start());
        let jobs = JOBS.with(app).clock(clock.clone()).leases(MemoryLeases::new(clock)).history(&down);
        assert!(testing::run(&jobs, "exclusive", start()).await.unwrap().is_completed());
        assert!(!format!("{down:?}").contains("hunter2"));
    }
}

engine_test! {
    /// Eight replicas start at once; the second install of each is nothing to do.
    async fn install_is_safe_from_eight_replicas_at_once() {
        let database = std::sync::Arc::new(Database::create().await);
        let replicas: Vec<_> = (0..8)
            .map(|_| {
                let database = std::sync::Arc::clone(&database);
                tokio::spawn(async move {
                    let history = RunHistory::new(&engine::replica(&database).await);
                    history.install().await?;
                    history.install().await
                })
            })
            .collect();
        for replica in replicas {
            replica.await.unwrap().unwrap();
        }
        sqlx::query(sql("delete from jobs_runs where name = $1")).bind("").execute(database.pool()).await.unwrap();
    }
}
