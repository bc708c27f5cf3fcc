//! The suite that every store passes.

use std::{
    future::pending,
    sync::Arc,
    time::{Duration, SystemTime},
};

use steadfast::{
    JobClock, Provide, RunOutcome, Slot, atomic_unit,
    clock::{Clock, SystemClock},
    job,
    jobs::{LostCause, NotClaimed},
    registry,
    testing::{self, VirtualClock},
};

use super::engine::{self, Database, Leases, Pool, Tx, engine_test};
use crate::engines::Error;

#[derive(Provide)]
struct App {
    db: Pool,
}

#[atomic_unit(retry = contention)]
async fn send(tx: &mut Tx<'_>, job: &str, slot: Slot) -> Result<(), Error> {
    sqlx::query(engine::sql("INSERT INTO mails VALUES ($1, $2)"))
        .bind(job)
        .bind(slot.unix_seconds())
        .execute(&mut *tx)
        .await?;
    Ok(())
}

#[job(cron = "* * * * *", exclusive, timeout = "30s", overlap = skip, name = "digest")]
async fn digest(slot: Slot, db: &Pool) -> Result<(), Error> {
    send(db, "digest", slot).await
}

#[job(cron = "* * * * *", exclusive, timeout = "30s", overlap = skip, name = "failing")]
#[allow(clippy::unused_async)] // a job is async, whatever its body does
async fn failing(_: Slot) -> Result<(), Error> {
    Err(Error::Domain)
}

#[job(cron = "* * * * *", exclusive, timeout = "30s", overlap = skip, name = "panicking")]
#[allow(clippy::unused_async)] // a job is async, whatever its body does
async fn panicking(_: Slot) -> Result<(), Error> {
    panic!("the job's own")
}

#[job(cron = "* * * * *", exclusive, timeout = "30s", overlap = skip, name = "hung")]
async fn hung(_: Slot, clock: &JobClock) -> Result<(), Error> {
    let _asked = clock.now();
    pending().await
}

registry! { static JOBS for App = [digest, failing, panicking, hung]; }

async fn database() -> Database {
    let database = Database::create().await;
    sqlx::query("CREATE TABLE mails (job TEXT NOT NULL, slot BIGINT NOT NULL)").execute(database.pool()).await.unwrap();
    Leases::new(database.pool()).install().await.unwrap();
    database
}

fn app(database: &Database) -> App {
    App { db: database.pool().clone() }
}

async fn mails(database: &Database) -> i64 {
    sqlx::query_scalar("SELECT COUNT(*) FROM mails").fetch_one(database.pool()).await.unwrap()
}

async fn is_held(database: &Database, job: &str) -> bool {
    let until: Option<i64> = sqlx::query_scalar(engine::sql("SELECT lease_until FROM jobs_leases WHERE name = $1"))
        .bind(job)
        .fetch_one(database.pool())
        .await
        .unwrap();
    until.is_some()
}

engine_test! {
    async fn eight_replicas_send_one_mail_a_slot() {
        let database = Arc::new(database().await);
        let now = Slot::floor(SystemTime::now());
        for minutes in (0..5).rev() {
            let slot = Slot::from_unix_seconds(now.unix_seconds() - minutes * 60);
            let replicas: Vec<_> = (0..8)
                .map(|_| {
                    let jobs = JOBS.with(app(&database)).leases(Leases::new(database.pool()));
                    tokio::spawn(async move { testing::run(&jobs, "digest", slot).await.unwrap() })
                })
                .collect();
            let mut completed = 0;
            for replica in replicas {
                match replica.await.unwrap() {
                    RunOutcome::Completed => completed += 1,
                    // Held: one that asked while the winner of the slot before was about to release.
                    RunOutcome::NotClaimed(NotClaimed::Lost(LostCause::Slot | LostCause::Held)) => {}
                    other => panic!("{other:?}"),
                }
            }
            assert_eq!(completed, 1);
            assert!(!is_held(&database, "digest").await);
        }
        assert_eq!(mails(&database).await, 5);
    }
}

engine_test! {
    async fn a_typed_failure_releases_and_a_panic_does_not() {
        let database = database().await;
        let jobs = JOBS.with(app(&database)).leases(Leases::new(database.pool()));
        let slot = Slot::floor(SystemTime::now());
        let failed = testing::run(&jobs, "failing", slot).await.unwrap();
        assert!(matches!(&failed, RunOutcome::Failed(error) if error.to_string() == "the application says no"), "{failed:?}");
        assert!(!is_held(&database, "failing").await);
        assert!(matches!(testing::run(&jobs, "panicking", slot).await.unwrap(), RunOutcome::Panicked));
        assert!(is_held(&database, "panicking").await);
    }
}

/// The wall clock is real; waits are the test's.
struct Waits(VirtualClock);

impl Clock for Waits {
    fn now(&self) -> SystemTime {
        SystemClock.now()
    }
    fn sleep(&self, duration: Duration) -> futures_util::future::BoxFuture<'static, ()> {
        self.0.sleep(duration)
    }
}

engine_test! {
    async fn a_timeout_keeps_the_lease() {
        let database = database().await;
        let slot = Slot::floor(SystemTime::now());
        let clock = VirtualClock::at(slot);
        let jobs = JOBS.with(app(&database)).clock(Waits(clock.clone())).leases(Leases::new(database.pool()));
        let run = tokio::spawn(async move { testing::run(&jobs, "hung", slot).await.unwrap() });
        // Once the function runs, its timeout is waited for.
        while clock.sleepers() == 0 {
            tokio::task::yield_now().await;
        }
        clock.advance_waits(Duration::from_millis(29_999));
        assert!(!run.is_finished());
        clock.advance_waits(Duration::from_millis(1));
        assert!(matches!(run.await.unwrap(), RunOutcome::TimedOut));
        assert!(is_held(&database, "hung").await);
    }
}

engine_test! {
    async fn an_unmigrated_table_and_a_closed_pool_end_the_start() {
        let database = Database::create().await;
        let start = || JOBS.with(app(&database)).leases(Leases::new(database.pool())).run_until(pending());
        // As an application shows it that hands it up to `main`.
        let told = async || format!("{:#}", anyhow::Error::from(start().await.unwrap_err()));
        let error = told().await;
        assert!(error.starts_with("the jobs cannot start: ") && error.contains("`leases.install().await?`"), "{error}");
        database.pool().close().await;
        assert!(told().await.starts_with("the jobs cannot start: the lease store refused"));
    }
}

engine_test! {
    async fn a_store_that_fails_later_skips_slots_and_the_loop_lives() {
        let database = database().await;
        let clock = VirtualClock::at(Slot::floor(SystemTime::now()));
        let leases = Leases::new(database.pool()).clock_tolerance(Duration::from_hours(1));
        let jobs = JOBS.with(app(&database)).clock(clock.clone()).leases(leases);
        let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
        let runner = tokio::spawn(jobs.run_until(async { drop(stopped.await) }).into_future());
        let seen = |expected: i64| {
            let (database, clock) = (&database, &clock);
            async move {
                for _ in 0..500 {
                    if mails(database).await == expected {
                        return;
                    }
                    clock.advance(Duration::from_millis(300));
                    tokio::time::sleep(Duration::from_millis(2)).await;
                }
                panic!("{expected} mails expected, found {}", mails(database).await);
            }
        };
        while clock.sleepers() == 0 {
            tokio::task::yield_now().await;
        }
        clock.advance(Duration::from_mins(1));
        seen(1).await;
        sqlx::query("ALTER TABLE jobs_leases RENAME TO gone").execute(database.pool()).await.unwrap();
        clock.advance(Duration::from_mins(2));
        tokio::time::sleep(Duration::from_millis(100)).await;
        assert!(!runner.is_finished());
        sqlx::query("ALTER TABLE gone RENAME TO jobs_leases").execute(database.pool()).await.unwrap();
        clock.advance(Duration::from_mins(1));
        seen(2).await;
        stop.send(()).unwrap();
        // What hangs is given its grace, then cancelled and released.
        while !runner.is_finished() {
            clock.advance(Duration::from_secs(5));
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
        runner.await.unwrap().unwrap();
    }
}
