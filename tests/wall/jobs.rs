//! `#[job]`

use std::{convert::Infallible, time::Duration};

use sqlx::SqlitePool;
use steadfast::{
    JobClock, Provide, RunOutcome, Slot, atomic_unit,
    clock::SystemClock,
    job,
    jobs::{JobMeta, Meta},
    registry,
    sqlite::Tx,
    testing::MemoryLeases,
};
use steadfast_tests::shop::{BillingError, Mailer};

// twin of: job_timeout, job_exclusive_too_long, cron_missing
#[job(cron = "0 3 * * *", exclusive, timeout = "15m")]
async fn longest_lease(slot: Slot) -> Result<(), BillingError> {
    let _ = slot;
    Ok(())
}

// twin of: job_overlap
#[job(cron = "* * * * *", exclusive, timeout = "30s", overlap = skip)]
async fn every_minute(_slot: Slot) -> Result<(), BillingError> {
    Ok(())
}

#[job(cron = "*/15 * * * *", exclusive, timeout = "14m")]
async fn lease_as_long_as_the_gap(_slot: Slot) -> Result<(), BillingError> {
    Ok(())
}

// twin of: job_slot, job_parameters
#[job(cron = "0 3 * * *", timeout = "5m")]
async fn lent(slot: Slot, db: &SqlitePool, mailer: &Mailer, clock: &JobClock) -> Result<i64, BillingError> {
    let _ = (mailer, clock.now());
    let sql = "select count(*) from trials where $1 > 0";
    Ok(sqlx::query_scalar(sql).bind(slot.unix_seconds()).fetch_one(db).await?)
}

#[job(cron = "0 3 * * *", timeout = "5m")]
#[atomic_unit(retry = contention)]
async fn with_a_transaction(slot: Slot, tx: &mut Tx<'_>) -> Result<(), BillingError> {
    let _ = slot;
    super::close(tx, 1).await
}

// twin of: job_clock_read
#[job(cron = "0 3 * * *", timeout = "5m", allow(clock))]
async fn measures(_slot: Slot) -> Result<std::time::SystemTime, Infallible> {
    Ok(std::time::SystemTime::now())
}

// twin of: job_last_run
#[job(cron = "0 3 * * *", timeout = "5m")]
async fn remembers_for_an_operator(slot: Slot, clock: &JobClock) -> Result<(), Infallible> {
    let last_run = clock.now();
    tracing::debug!(?last_run, %slot, "this is logged and decides nothing");
    Ok(())
}

#[job(cron = "0 3 * * *", timeout = "5m", allow(clock))]
async fn shows_when_it_ran(_slot: Slot, clock: &JobClock) -> Result<(), Infallible> {
    static LAST_RUN: std::sync::Mutex<Option<std::time::SystemTime>> = std::sync::Mutex::new(None);
    *LAST_RUN.lock().unwrap() = Some(clock.now());
    Ok(())
}

// twin of: job_waits
#[job(cron = "0 3 * * *", timeout = "5m", allow(retry, sleep))]
async fn waits_for_its_own_work(_slot: Slot) -> Result<(), Infallible> {
    for _ in 0..2 {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    tokio::time::interval(Duration::from_millis(1)).tick().await;
    assert_eq!(Bell.retry(3), 3);
    Ok(())
}

struct Bell;

impl Bell {
    fn retry(&self, times: u32) -> u32 {
        times
    }
}

/// The unit has judged its body, and its own loop is no loop of the job's.
#[job(cron = "0 3 * * *", timeout = "5m")]
#[atomic_unit(retry = contention, allow(retry, sleep))]
async fn unit_below(_slot: Slot, tx: &mut Tx<'_>) -> Result<(), BillingError> {
    assert_eq!(Bell.retry(3), 3);
    tokio::time::sleep(Duration::from_millis(1)).await;
    super::close(tx, 2).await
}

#[atomic_unit(retry = contention)]
#[job(cron = "0 3 * * *", timeout = "5m")]
async fn unit_above(_slot: Slot, tx: &mut Tx<'_>) -> Result<(), BillingError> {
    tokio::time::sleep(Duration::from_millis(1)).await;
    super::close(tx, 3).await
}

// twin of: job_name, job_default_name, job_keys
#[job(cron = "0 3 * * *", timeout = "5m", name = "billing.close_expired-trials.v2")]
async fn named(_slot: Slot) -> Result<(), BillingError> {
    Ok(())
}

// twin of: job_shape, job_result_alias
type Billed<T> = Result<T, BillingError>;

#[job(cron = "0 3 * * *", timeout = "5m")]
async fn aliased(_slot: Slot) -> Billed<u8> {
    Ok(3)
}

// twin of: job_error
#[derive(Debug, thiserror::Error)]
#[error("no trials")]
struct NoTrials;

#[job(cron = "0 3 * * *", timeout = "5m")]
async fn own_error(_slot: Slot) -> Result<(), NoTrials> {
    Err(NoTrials)
}

#[job(cron = "0 3 * * *", timeout = "5m")]
async fn text_error(_slot: Slot) -> Result<(), String> {
    Ok(())
}

#[job(cron = "0 3 * * *", timeout = "5m")]
async fn boxed_error(_slot: Slot) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
    Err(NoTrials)?
}

// twin of: job_not_send
#[job(cron = "0 3 * * *", timeout = "5m")]
async fn spawnable(_slot: Slot) -> Result<(), BillingError> {
    let seen = std::sync::Arc::new(1);
    tokio::task::yield_now().await;
    drop(seen);
    Ok(())
}

// twin of: job_in_no_registry
#[derive(Provide)]
struct App {
    db: SqlitePool,
    mailer: Mailer,
}

registry! {
    static JOBS for App = [
        longest_lease, every_minute, lease_as_long_as_the_gap, lent, with_a_transaction, measures, named, aliased, own_error,
        text_error, boxed_error, spawnable, remembers_for_an_operator, shows_when_it_ran, waits_for_its_own_work, unit_below, unit_above,
    ];
}

#[tokio::test]
async fn every_legal_form_of_a_job_runs() {
    let shop = super::shop().await;
    let leases = MemoryLeases::new(SystemClock);
    let jobs = JOBS.with(App { db: shop.pool().clone(), mailer: Mailer }).leases(leases);
    let slot = Slot::floor(std::time::SystemTime::now());
    for name in JOBS.iter().map(|job| job.name) {
        let outcome = steadfast::testing::run(&jobs, name, slot).await.unwrap();
        let fails = [own_error::META.name, boxed_error::META.name].contains(&name);
        assert!(
            if fails { matches!(outcome, RunOutcome::Failed(_)) } else { outcome.is_completed() },
            "{name}: {outcome:?}"
        );
    }
    assert_eq!(super::closed(&shop).await, 3);
    assert_eq!(aliased(slot).await.unwrap(), 3, "the function is still what it was");
}

#[test]
fn a_type_of_the_same_name_knows_the_schedule() {
    let Meta { name, cron_text, exclusive, timeout, .. } = longest_lease::META;
    assert_eq!((name, cron_text, exclusive), ("all.wall.jobs.longest-lease", "0 3 * * *", true));
    assert_eq!(timeout, Duration::from_mins(15));
    assert_eq!(named::META.name, "billing.close_expired-trials.v2");
}

/// A job for each line that a message of `cron_*` tells to write, with the canonical text.
macro_rules! lines {
    ($($line:literal => $text:literal),* $(,)?) => {{
        let texts = [$({
            #[job(cron = $line, timeout = "1s", overlap = skip)]
            async fn line(_slot: Slot) -> Result<(), Infallible> {
                Ok(())
            }
            let run: fn(Slot) -> _ = line;
            drop(run(Slot::floor(std::time::UNIX_EPOCH)));
            (<line as JobMeta>::META.cron_text, $text)
        }),*];
        for (text, expected) in texts {
            assert_eq!(text, expected);
        }
    }};
}

#[test]
fn the_line_that_a_message_names_is_a_line() {
    // What is written, and what is kept of it.
    lines! {
        // twin of: cron_weekday_numbers
        "0 9 * * MON-FRI" => "0 9 * * MON-FRI", "0 9 * * SUN" => "0 9 * * SUN",
        // twin of: cron_day_and_weekday
        "0 9 * * MON" => "0 9 * * MON", "0 9 1 * *" => "0 9 1 * *",
        // twin of: cron_ranges
        "0 22-23,0-2 * * *" => "0 0-2,22-23 * * *", "0 9 * * SAT,SUN" => "0 9 * * SUN,SAT", "0 9 1 NOV-DEC *" => "0 9 1 NOV-DEC *",
        // twin of: cron_steps
        "5-59/15 * * * *" => "5-50/15 * * * *", "*/2 * * * *" => "*/2 * * * *", "0 0 * * *" => "0 0 * * *",
        // twin of: cron_values
        "0 23 * * *" => "0 23 * * *", "1,2 * * * *" => "1,2 * * * *", "5 * * * *" => "5 * * * *",
        // twin of: cron_never_fires
        "0 0 28 2 *" => "0 0 28 2 *", "0 0 29 FEB *" => "0 0 29 FEB *",
        // twin of: cron_nicknames, cron_fields, cron_time_zone
        "*/5 * * * *" => "*/5 * * * *", "0 3 * * *" => "0 3 * * *",
        // twin of: cron_dialects
        "0 0 28-31 * *" => "0 0 28-31 * *", "20 * * * *" => "20 * * * *", "0 0 * * FRI" => "0 0 * * FRI",
    }
}

// twin of: job_modes
#[job(
    name = "wall.every-mode",
    cron = "0 3 * * *",
    exclusive,
    timeout = "1h",
    heartbeat,
    on_shutdown = hand_back,
    catch_up = "12h",
    splay = "30m"
)]
#[allow(clippy::unused_async)] // a job is async, whatever its body does
async fn every_mode(_: Slot) -> Result<(), std::convert::Infallible> {
    Ok(())
}

#[test]
fn a_job_may_say_all_of_its_lease_and_start() {
    let Meta { lease, catch_up, splay, .. } = every_mode::META;
    assert!(lease.heartbeat && lease.hand_back);
    assert_eq!((catch_up, splay), (Some(Duration::from_hours(12)), Duration::from_mins(30)));
}
