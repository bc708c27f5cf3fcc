//! `#[poll]`

use std::{convert::Infallible, time::Duration};

use sqlx::SqlitePool;
use steadfast::{JobClock, Provide, Slot, Tick, atomic_unit, job, jobs::Poll, poll, registry, sqlite::Tx};
use steadfast_tests::shop::{BillingError, Mailer};

// twin of: poll_times, poll_keys
#[poll(every = "1m", timeout = "15m", name = "mail.relay")]
async fn slowest() -> Result<Tick, Infallible> {
    Ok(Tick::Idle)
}

#[poll(every = "1ms", timeout = "1ms")]
async fn fastest() -> Result<Tick, Infallible> {
    Ok(Tick::Idle)
}

// twin of: poll_parameters, poll_dependency
#[poll(every = "1s", timeout = "30s")]
async fn lent(db: &SqlitePool, mailer: &Mailer, clock: &JobClock) -> Result<Tick, BillingError> {
    let _ = (mailer, clock.now());
    let open: i64 = sqlx::query_scalar("select count(*) from trials where closed = 0").fetch_one(db).await?;
    Ok(if open > 0 { Tick::More } else { Tick::Idle })
}

#[poll(every = "1s", timeout = "30s")]
#[atomic_unit(retry = contention)]
async fn with_a_transaction(tx: &mut Tx<'_>) -> Result<Tick, BillingError> {
    super::close(tx, 1).await?;
    Ok(Tick::Idle)
}

// twin of: poll_shape, poll_tick
type Ticked = Result<Tick, BillingError>;

#[poll(every = "1s", timeout = "30s")]
async fn aliased() -> Ticked {
    Ok(Tick::Idle)
}

// twin of: poll_waits, poll_last_run
#[poll(every = "1s", timeout = "30s", allow(clock, retry, sleep))]
async fn at_its_own_pace(clock: &JobClock) -> Result<Tick, Infallible> {
    static LAST_TICK: std::sync::Mutex<Option<std::time::SystemTime>> = std::sync::Mutex::new(None);
    *LAST_TICK.lock().unwrap() = Some(clock.now());
    for _ in 0..2 {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    Ok(Tick::Idle)
}

#[job(cron = "*/5 * * * *", timeout = "1m")]
async fn a_job(_slot: Slot) -> Result<(), Infallible> {
    Ok(())
}

#[derive(Provide)]
struct App {
    db: SqlitePool,
    mailer: Mailer,
}

registry! {
    static POLLS for App = [slowest, fastest, a_job, lent, with_a_transaction, aliased, at_its_own_pace];
}

#[tokio::test]
async fn every_legal_form_of_a_poll_is_listed_and_called() {
    let shop = super::shop().await;
    assert_eq!((POLLS.polls().count(), POLLS.iter().count()), (6, 1));
    let meta = <slowest as Poll<App>>::META;
    assert_eq!((meta.name, meta.every, meta.timeout), ("mail.relay", Duration::from_mins(1), Duration::from_mins(15)));
    assert_eq!(<fastest as Poll<App>>::META.name, "all.wall.polls.fastest");
    let app = App { db: shop.pool().clone(), mailer: Mailer };
    let clock = JobClock::new(steadfast::clock::SystemClock);
    assert_eq!(<lent as Poll<App>>::tick(&clock, &app).await.unwrap(), Tick::More);
    assert_eq!(<with_a_transaction as Poll<App>>::tick(&clock, &app).await.unwrap(), Tick::Idle);
    assert_eq!(super::closed(&shop).await, 1);
}
