//! Fenced units: what a run writes commits only while the run holds its lease.

use std::{
    sync::atomic::{AtomicBool, Ordering},
    time::{Duration, SystemTime},
};

use steadfast::{
    Classify, Kind, LeaseStore as _, Outcome, Phase, Provide, RunOutcome, Slot, UnitFailure, atomic_unit,
    clock::SystemClock,
    job,
    jobs::{Claim, LEASE_MARGIN, LeaseErrorKind, RunId},
    registry, testing,
};

use super::engine::{self, Database, Lease, Leases, Pool, Tx, engine_test, sql};
use crate::engines::Runs;

#[derive(Debug, thiserror::Error, Classify)]
enum Error {
    #[error(transparent)]
    #[classify(transparent)]
    Db(#[from] sqlx::Error),
    #[error(transparent)]
    #[classify(transparent)]
    Unit(#[from] UnitFailure),
    #[error(transparent)]
    #[classify(transparent)]
    Lease(#[from] steadfast::jobs::LeaseError),
}

/// What happens to the lease while the job runs.
#[derive(Clone, Copy)]
enum Meanwhile {
    Nothing,
    /// A statement on the row.
    Row(&'static str),
}

#[derive(Provide)]
struct App {
    db: Pool,
    meanwhile: Meanwhile,
    runs: Runs,
    failure: std::sync::Mutex<Option<Error>>,
}

#[atomic_unit(retry = transient, idempotent = set_state, fence = lease)]
async fn write(tx: &mut Tx<'_>, lease: &Lease, runs: &Runs) -> Result<(), Error> {
    runs.count();
    sqlx::query(sql("insert into notes values ($1)")).bind(lease.slot().unix_seconds()).execute(&mut *tx).await?;
    Ok(())
}

#[job(cron = "* * * * *", exclusive, timeout = "30s", overlap = skip, name = "invoices")]
async fn invoices(
    _: Slot,
    db: &Pool,
    meanwhile: &Meanwhile,
    runs: &Runs,
    failure: &std::sync::Mutex<Option<Error>>,
    lease: &Lease,
) -> Result<(), Error> {
    lease.check().await?;
    if let Meanwhile::Row(text) = meanwhile {
        sqlx::query(*text).execute(db).await?;
    }
    if let Err(error) = write(db, lease, runs).await {
        *failure.lock().unwrap() = Some(error);
        assert_eq!(lease.check().await.unwrap_err().kind(), LeaseErrorKind::Lost);
    }
    Ok(())
}

registry! { static JOBS for App = [invoices]; }

async fn database() -> Database {
    let database = Database::create().await;
    sqlx::query("create table notes (slot bigint primary key)").execute(database.pool()).await.unwrap();
    Leases::new(database.pool()).install().await.unwrap();
    database
}

/// The failure of the job's unit, how often its body ran, and the rows that are there.
async fn run(meanwhile: Meanwhile) -> (Option<Error>, u32, i64) {
    let database = database().await;
    let db = database.pool().clone();
    let app = App { db: db.clone(), meanwhile, runs: Runs::default(), failure: std::sync::Mutex::default() };
    let jobs = JOBS.with(app).leases(Leases::new(&db));
    let outcome = testing::run(&jobs, "invoices", Slot::floor(SystemTime::now())).await.unwrap();
    assert!(matches!(outcome, RunOutcome::Completed), "{outcome:?}");
    let rows = sqlx::query_scalar("select count(*) from notes").fetch_one(&db).await.unwrap();
    let app = jobs.app();
    (app.failure.lock().unwrap().take(), app.runs.total(), rows)
}

engine_test! {
    async fn a_run_that_holds_its_lease_writes() {
        let (failure, runs, rows) = run(Meanwhile::Nothing).await;
        assert!(failure.is_none(), "{failure:?}");
        assert_eq!((runs, rows), (1, 1));
    }
}

engine_test! {
    /// Superseded, handed back, gone: either of the two that are asked is enough, and the body does not even run.
    async fn a_run_that_lost_its_lease_writes_nothing() {
        for row in [
            "update jobs_leases set holder = 'another', last_slot = last_slot + 60000",
            "update jobs_leases set holder = 'another'",
            "update jobs_leases set last_slot = last_slot + 60000",
            "delete from jobs_leases",
        ] {
            let (failure, runs, rows) = run(Meanwhile::Row(row)).await;
            let Some(Error::Unit(failure)) = failure else { panic!("{row}: {failure:?}") };
            assert_eq!((failure.kind(), failure.phase()), (Kind::LeaseLost, Phase::Body), "{row}");
            assert_eq!((failure.outcome(), failure.attempts()), (Outcome::NotApplied, 1), "{row}");
            let source = std::error::Error::source(&failure).unwrap().to_string();
            assert!(source.contains("`invoices`") && source.contains("does not hold its lease"), "{source}");
            assert_eq!((runs, rows), (0, 0), "{row}");
        }
    }
}

engine_test! {
    /// Who is late but was not superseded loses nothing: "not expired" is no fence.
    async fn a_lease_that_ran_out_and_was_not_taken_is_a_fence_still() {
        let database = database().await;
        let db = database.pool().clone();
        let app = App {
            db: db.clone(),
            meanwhile: Meanwhile::Row("update jobs_leases set lease_until = 1"),
            runs: Runs::default(),
            failure: std::sync::Mutex::default(),
        };
        let jobs = JOBS.with(app).leases(Leases::new(&db));
        let outcome = testing::run(&jobs, "invoices", Slot::floor(SystemTime::now())).await.unwrap();
        assert!(matches!(outcome, RunOutcome::Completed), "{outcome:?}");
        let rows: i64 = sqlx::query_scalar("select count(*) from notes").fetch_one(&db).await.unwrap();
        assert_eq!(rows, 1);
    }
}

#[atomic_unit(retry = never, fence = lease)]
async fn write_slowly(tx: &mut Tx<'_>, lease: &Lease, entered: &AtomicBool, done: &AtomicBool) -> Result<(), Error> {
    sqlx::query(sql("insert into notes values ($1)")).bind(lease.slot().unix_seconds()).execute(&mut *tx).await?;
    entered.store(true, Ordering::SeqCst);
    // Long enough for a claim that does not wait.
    tokio::time::sleep(Duration::from_millis(300)).await;
    done.store(true, Ordering::SeqCst);
    Ok(())
}

#[derive(Provide)]
struct Slow {
    db: Pool,
    flags: [AtomicBool; 2],
}

#[job(cron = "* * * * *", exclusive, timeout = "30s", overlap = skip, name = "slow")]
async fn slow(_: Slot, db: &Pool, flags: &[AtomicBool; 2], lease: &Lease) -> Result<(), Error> {
    // The lease has run out, so that the next claim wins it.
    sqlx::query("update jobs_leases set lease_until = 1").execute(db).await?;
    write_slowly(db, lease, &flags[0], &flags[1]).await
}

registry! { static SLOW for Slow = [slow]; }

engine_test! {
    /// Nobody takes the lease between the check and COMMIT: the claim waits for the unit, or is told to come again.
    async fn a_claim_waits_for_a_fenced_unit() {
        let database = database().await;
        let db = database.pool().clone();
        let jobs = SLOW.with(Slow { db: db.clone(), flags: Default::default() }).leases(Leases::new(&db));
        let slot = Slot::floor(SystemTime::now());
        let before = Slot::from_unix_seconds(slot.unix_seconds() - 60);
        let rival = async {
            let [entered, done] = &jobs.app().flags;
            while !entered.load(Ordering::SeqCst) {
                tokio::task::yield_now().await;
            }
            let leases = Leases::new(&engine::replica(&database).await);
            let run = RunId::random();
            loop {
                match leases.claim(&Claim::new("slow", slot, LEASE_MARGIN, &run, &SystemClock)).await {
                    Ok(claimed) => {
                        assert!(done.load(Ordering::SeqCst), "the unit was still open");
                        return claimed;
                    }
                    Err(error) => assert_eq!(error.kind(), LeaseErrorKind::Contention, "{error}"),
                }
            }
        };
        let (outcome, claimed) = tokio::join!(testing::run(&jobs, "slow", before), rival);
        assert!(matches!(outcome.unwrap(), RunOutcome::Completed));
        assert!(claimed.is_won(), "{claimed:?}");
        let rows: i64 = sqlx::query_scalar("select count(*) from notes").fetch_one(&db).await.unwrap();
        assert_eq!(rows, 1);
    }
}
