//! `run_now`, `pause` and `resume` through the boundary that the runner uses, on real tables.

#![allow(clippy::unused_async, reason = "jobs that do nothing")]

use std::time::{Duration, SystemTime};

use steadfast::{
    LeaseStore as _, Provide, RunOutcome, Slot,
    clock::SystemClock,
    job,
    jobs::{Claim, Jobs, LEASE_MARGIN, Leased, LostCause, NotClaimed, PauseError, RunId},
    registry, testing,
};

use super::engine::{Database, Lease, Leases, Pool, engine_test};
use super::notes::{Error, write};

#[derive(Provide)]
struct App {
    db: Pool,
    meanwhile: Meanwhile,
}

/// A statement on the row, between the claim and the unit.
struct Meanwhile(Option<&'static str>);

#[job(cron = "* * * * *", exclusive, timeout = "30s", overlap = skip, name = "fenced")]
async fn fenced(_: Slot, db: &Pool, meanwhile: &Meanwhile, lease: &Lease) -> Result<(), Error> {
    if let Some(text) = meanwhile.0 {
        sqlx::query(text).execute(db).await?;
    }
    write(db, lease).await
}

#[job(cron = "* * * * *", timeout = "30s", name = "not-exclusive")]
async fn not_exclusive(_: Slot) -> Result<(), Error> {
    Ok(())
}

registry! { static JOBS for App = [fenced, not_exclusive]; }

async fn jobs(database: &Database, meanwhile: Option<&'static str>) -> (Jobs<App, Leased>, Leases) {
    let db = database.pool().clone();
    let leases = Leases::new(&db);
    leases.install().await.unwrap();
    sqlx::query("create table if not exists notes (slot bigint primary key)").execute(&db).await.unwrap();
    (JOBS.with(App { db, meanwhile: Meanwhile(meanwhile) }).leases(leases.clone()), leases)
}

fn lost(outcome: &RunOutcome) -> Option<LostCause> {
    match outcome {
        RunOutcome::NotClaimed(NotClaimed::Lost(cause)) => Some(*cause),
        _ => None,
    }
}

fn now() -> Slot {
    Slot::floor(SystemTime::now())
}

engine_test! {
    /// Before the first slot and after it; paused or not; its fenced unit commits.
    async fn by_hand_a_job_runs_and_takes_no_slot() {
        let database = Database::create().await;
        let (jobs, leases) = jobs(&database, None).await;
        let last = async || leases.row("fenced").await.unwrap().unwrap().last_slot;
        let notes = async || sqlx::query("delete from notes").execute(database.pool()).await.unwrap().rows_affected();
        assert!(jobs.run_now("fenced").await.unwrap().is_completed());
        assert_eq!((last().await, notes().await), (None, 1));
        let slot = now();
        assert!(testing::run(&jobs, "fenced", slot).await.unwrap().is_completed(), "no slot was taken");
        assert_eq!((last().await, notes().await), (Some(slot), 1));
        jobs.pause("fenced", "looking at it").await.unwrap();
        assert!(jobs.run_now("fenced").await.unwrap().is_completed());
        assert_eq!((last().await, notes().await), (Some(slot), 1));
    }
}

engine_test! {
    async fn by_hand_nothing_runs_beside_another_run() {
        let database = Database::create().await;
        let (jobs, leases) = jobs(&database, None).await;
        let (run, before) = (RunId::random(), Slot::floor(now().time() - Duration::from_mins(2)));
        let claim = Claim::new("fenced", before, Duration::from_mins(2) + LEASE_MARGIN, &run, &SystemClock);
        assert!(leases.claim(&claim).await.unwrap().is_won());
        assert_eq!(lost(&jobs.run_now("fenced").await.unwrap()), Some(LostCause::Held));
        leases.release("fenced", run.as_str()).await.unwrap();
        // And no slot beside a run by hand.
        let manual = RunId::random();
        let claim = Claim::manual("fenced", Duration::from_mins(2), &manual, &SystemClock);
        let claimed = leases.claim(&claim).await.unwrap();
        assert_eq!((claimed.lost, claimed.token), (None, before.unix_millis()));
        assert_eq!(lost(&testing::run(&jobs, "fenced", now()).await.unwrap()), Some(LostCause::Held));
    }
}

engine_test! {
    /// A run by hand that was superseded writes nothing, whichever of the two changed.
    async fn by_hand_a_fenced_unit_is_fenced() {
        for row in [
            "update jobs_leases set holder = 'another'",
            "update jobs_leases set last_slot = 60000",
            "update jobs_leases set holder = 'another', last_slot = 60000",
            "delete from jobs_leases",
        ] {
            let database = Database::create().await;
            let (jobs, _) = jobs(&database, Some(row)).await;
            let outcome = jobs.run_now("fenced").await.unwrap();
            assert!(matches!(outcome, RunOutcome::Failed(_)), "{row}: {outcome:?}");
            let notes: i64 = sqlx::query_scalar("select count(*) from notes").fetch_one(database.pool()).await.unwrap();
            assert_eq!(notes, 0, "{row}");
        }
    }
}

engine_test! {
    async fn a_job_that_is_paused_runs_no_slot_until_it_is_resumed() {
        let database = Database::create().await;
        let (jobs, _) = jobs(&database, None).await;
        let slot = now();
        jobs.pause("fenced", "the provider is down").await.unwrap();
        assert_eq!(lost(&testing::run(&jobs, "fenced", slot).await.unwrap()), Some(LostCause::Paused));
        let paused = jobs.row("fenced").await.unwrap().unwrap().paused.unwrap();
        assert_eq!(paused.reason, "the provider is down");
        let since = SystemTime::now().duration_since(paused.since).unwrap_or_default();
        assert!(since < Duration::from_mins(1), "{since:?}");
        jobs.pause("fenced", "it's \"still\" down; `🙈`").await.unwrap();
        assert_eq!(jobs.row("fenced").await.unwrap().unwrap().paused.unwrap().reason, "it's \"still\" down; `🙈`");
        for bad in ["x".repeat(501), "a\0b".to_owned(), "two\nlines".to_owned()] {
            let refused = jobs.pause("fenced", &bad).await.unwrap_err();
            assert!(matches!(refused, PauseError::Reason), "{refused:?}");
        }
        jobs.resume("fenced").await.unwrap();
        assert_eq!(jobs.row("fenced").await.unwrap().unwrap().paused, None);
        assert!(testing::run(&jobs, "fenced", slot).await.unwrap().is_completed());
    }
}

engine_test! {
    /// As the documentation says it.
    async fn a_pause_by_hand_is_a_pause() {
        let database = Database::create().await;
        let (jobs, _) = jobs(&database, None).await;
        assert!(jobs.run_now("fenced").await.unwrap().is_completed());
        sqlx::query("UPDATE jobs_leases SET paused_at = 1, pause_reason = 'why' WHERE name = 'fenced'")
            .execute(database.pool())
            .await
            .unwrap();
        assert_eq!(lost(&testing::run(&jobs, "fenced", now()).await.unwrap()), Some(LostCause::Paused));
    }
}

engine_test! {
    async fn what_cannot_be_paused_is_told() {
        let database = Database::create().await;
        let (jobs, _) = jobs(&database, None).await;
        let unknown = jobs.pause("fence", "a typo").await.unwrap_err();
        assert!(unknown.to_string().contains("its jobs are `fenced`, `not-exclusive`"), "{unknown}");
        let refused = jobs.pause("not-exclusive", "why not").await.unwrap_err();
        assert!(matches!(refused, PauseError::NotExclusive("not-exclusive")), "{refused:?}");
        assert!(refused.to_string().contains("add `exclusive`"), "{refused}");
        assert!(jobs.run_now("not-exclusive").await.unwrap().is_completed());
        assert!(jobs.run_now("fence").await.is_err());
    }
}
