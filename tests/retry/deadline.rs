//! The caller's deadline: `steadfast::within`. On a virtual clock but for the units, whose database answers in real time.

use std::time::Duration;

use steadfast::{Classify, Kind, Outcome, Phase, Stopped, UnitFailure, provider_call, remaining, within};
use tokio::time::Instant;

use crate::engines::Runs;

const SECOND: Duration = Duration::from_secs(1);

#[derive(Debug, thiserror::Error, Classify)]
pub(crate) enum CallError {
    #[error("unavailable, time {0}")]
    #[classify(unavailable)]
    Unavailable(u32),
    #[error("later")]
    #[classify(rate_limited, retry_after = wait)]
    Later { wait: Duration },
    #[error(transparent)]
    #[classify(transparent)]
    Http(#[from] steadfast::http::Error),
    #[error(transparent)]
    #[classify(transparent)]
    Unit(#[from] UnitFailure),
}

/// Fails each time, after so long.
#[provider_call(retry = slow, idempotent = read)]
async fn fails(runs: &Runs, takes: Duration) -> Result<(), CallError> {
    tokio::time::sleep(takes).await;
    Err(CallError::Unavailable(runs.count()))
}

async fn timed<F: Future>(future: F) -> (F::Output, Duration) {
    let start = Instant::now();
    (future.await, start.elapsed())
}

/// Gaps of 5 to 10, 10 to 20 and 10 to 20 seconds: with attempts of two seconds the second gap ends after 21 seconds at the
/// earliest and 34 at the latest.
#[tokio::test(start_paused = true)]
async fn a_wait_that_does_not_fit_is_not_begun_and_the_last_real_error_comes_back() {
    for (limit, runs_at_most) in [(3, 1), (14, 2), (21, 2), (100, 4)] {
        let runs = Runs::default();
        let (told, took) = timed(within(SECOND * limit, fails(&runs, SECOND * 2))).await;
        let Err(CallError::Unavailable(last)) = told else { panic!("{told:?}") };
        assert_eq!(last, runs.total(), "the last one, after {limit} s");
        assert!(took <= SECOND * limit, "{took:?} of {limit} s");
        assert!((1..=runs_at_most).contains(&last), "{last} runs in {limit} s");
    }
}

/// What an attempt takes counts: a budget of waits alone would have let all four run.
#[tokio::test(start_paused = true)]
async fn the_time_of_attempts_counts() {
    let runs = Runs::default();
    let (_, took) = timed(within(SECOND * 40, fails(&runs, SECOND * 30))).await;
    // 30 + at least 5 seconds leave at most 5, and the second attempt takes 30 all the same: it is not cut off.
    assert!(runs.total() <= 2 && took <= SECOND * 70, "{took:?}");
    assert!(took >= SECOND * 30);
}

#[tokio::test(start_paused = true)]
async fn the_nearest_of_nested_deadlines_counts() {
    for (outer, inner) in [(3, 100), (100, 3)] {
        let runs = Runs::default();
        let nested = async { within(SECOND * inner, fails(&runs, Duration::ZERO)).await };
        let (_, took) = timed(within(SECOND * outer, nested)).await;
        assert!(took <= SECOND * 3, "{took:?}");
        assert_eq!(runs.total(), 1);
    }
    assert_eq!(remaining(), None, "it is closed again");
}

#[tokio::test(start_paused = true)]
async fn an_attempt_knows_what_is_left() {
    let left = within(SECOND * 10, async {
        tokio::time::sleep(SECOND * 4).await;
        remaining()
    });
    assert_eq!(left.await, Some(SECOND * 6));
    let unlimited = within(Duration::MAX, async { remaining() });
    assert_eq!(unlimited.await, None, "a limit that cannot be counted is none");
    let spawned = within(SECOND, async { tokio::spawn(async { remaining() }).await.unwrap() });
    assert_eq!(spawned.await, None, "a spawned task has left");
}

#[tokio::test(start_paused = true)]
async fn nothing_is_begun_when_no_time_is_left() {
    let runs = Runs::default();
    let late = within(SECOND, async {
        tokio::time::sleep(SECOND).await;
        fails(&runs, Duration::ZERO).await
    });
    let Err(CallError::Unit(failure)) = late.await else { panic!("it was called") };
    assert_eq!((failure.kind(), failure.stopped()), (Kind::AttemptTimeout, Stopped::Deadline));
    assert_eq!((failure.attempts(), runs.total()), (0, 0));
    assert!(failure.to_string().contains("deadline has passed"), "{failure}");
}

/// The other side may ask for what there is time for, be it longer than the policy would wait.
#[tokio::test(start_paused = true)]
async fn a_wait_that_is_asked_for_has_to_fit() {
    #[provider_call(retry = limited)]
    async fn later(runs: &Runs, wait: Duration) -> Result<(), CallError> {
        if runs.count() == 1 { Err(CallError::Later { wait }) } else { Ok(()) }
    }
    for (asked, limit, count, takes) in [(60, Some(61), 2, 60), (60, Some(59), 1, 0), (60, None, 1, 0)] {
        let runs = Runs::default();
        let call = later(&runs, SECOND * asked);
        let (told, took) = match limit {
            Some(limit) => timed(within(SECOND * limit, call)).await,
            None => timed(call).await,
        };
        assert_eq!((told.is_ok(), runs.total()), (count == 2, count), "{asked} s of {limit:?}");
        assert!((SECOND * takes..SECOND * (takes + 1)).contains(&took), "{took:?}");
        assert!(told.is_ok() || matches!(told, Err(CallError::Later { wait }) if wait == SECOND * asked), "{told:?}");
    }
}

mod units {
    use steadfast::{atomic_unit, sqlite::Tx};
    use steadfast_tests::sqlite::Database;

    use super::*;
    use crate::engines::Error;

    async fn database() -> Database {
        let database = Database::create().await;
        sqlx::query("create table events (id integer primary key)").execute(database.pool()).await.unwrap();
        database
    }

    #[atomic_unit(retry = slow, idempotent = set_state)]
    async fn locked(tx: &mut Tx<'_>, runs: &Runs) -> Result<(), Error> {
        runs.count();
        sqlx::query("insert into events values (1)").execute(&mut *tx).await?;
        Err(Error::Db(sqlx::Error::WorkerCrashed))
    }

    #[tokio::test]
    async fn a_unit_does_not_wait_longer_than_its_caller() {
        let (database, runs) = (database().await, Runs::default());
        let told = within(SECOND, locked(database.pool(), &runs)).await;
        assert!(matches!(told, Err(Error::Db(sqlx::Error::WorkerCrashed))), "{told:?}");
        assert_eq!(runs.total(), 1);
    }

    #[atomic_unit(retry = contention)]
    async fn hangs(tx: &mut Tx<'_>, runs: &Runs) -> Result<(), Error> {
        runs.count();
        sqlx::query("insert into events values (1)").execute(&mut *tx).await?;
        std::future::pending().await
    }

    /// The runtime owns the attempt, so it can end it: rolled back, in the phase that it had reached.
    #[tokio::test]
    async fn a_unit_that_hangs_ends_with_its_callers_time() {
        let (database, runs) = (database().await, Runs::default());
        let told = within(Duration::from_millis(100), hangs(database.pool(), &runs)).await;
        let failure = told.unwrap_err().unit();
        assert_eq!((failure.kind(), failure.phase()), (Kind::AttemptTimeout, Phase::Body));
        assert_eq!((failure.outcome(), failure.stopped()), (Outcome::NotApplied, Stopped::Deadline));
        let rows: i64 = sqlx::query_scalar("select count(*) from events").fetch_one(database.pool()).await.unwrap();
        assert_eq!((runs.total(), rows), (1, 0));
    }

    #[atomic_unit(retry = transient, idempotent = set_state)]
    async fn fails_then_hangs(tx: &mut Tx<'_>, runs: &Runs) -> Result<(), Error> {
        sqlx::query("insert into events values (1)").execute(&mut *tx).await?;
        if runs.count() == 1 {
            return Err(Error::Db(sqlx::Error::WorkerCrashed));
        }
        std::future::pending().await
    }

    /// "Timed out" would hide why there was a second attempt.
    #[tokio::test]
    async fn the_failure_before_the_one_that_was_cut_off_is_told() {
        let (database, runs) = (database().await, Runs::default());
        let told = within(Duration::from_millis(300), fails_then_hangs(database.pool(), &runs)).await;
        assert!(matches!(told, Err(Error::Db(sqlx::Error::WorkerCrashed))), "{told:?}");
        let rows: i64 = sqlx::query_scalar("select count(*) from events").fetch_one(database.pool()).await.unwrap();
        assert_eq!((runs.total(), rows), (2, 0));
    }

    #[atomic_unit(retry = steep, idempotent = set_state)]
    async fn fails_in_two_ways(tx: &mut Tx<'_>, runs: &Runs) -> Result<(), Error> {
        sqlx::query("insert into events values (1)").execute(&mut *tx).await?;
        Err(Error::Db(if runs.count() == 1 { sqlx::Error::WorkerCrashed } else { sqlx::Error::BeginFailed }))
    }

    /// It was not cut off: the gap behind it did not fit, so it is the last real error.
    #[tokio::test]
    async fn a_failure_in_time_is_told_and_not_the_one_before() {
        let (database, runs) = (database().await, Runs::default());
        // A gap of 160 to 200 ms, and one of 320 at least.
        let told = within(Duration::from_millis(500), fails_in_two_ways(database.pool(), &runs)).await;
        assert_eq!(runs.total(), 2);
        assert!(matches!(told, Err(Error::Db(sqlx::Error::BeginFailed))), "{told:?}");
    }

    #[atomic_unit(retry = transient, idempotent = set_state)]
    async fn keeps_its_thread_busy(tx: &mut Tx<'_>) -> Result<(), Error> {
        sqlx::query("insert into events values (1)").execute(&mut *tx).await?;
        std::thread::sleep(Duration::from_millis(150));
        Ok(())
    }

    #[atomic_unit(retry = transient, idempotent = set_state, attempt_timeout = "100ms")]
    async fn keeps_its_thread_busy_for_too_long(tx: &mut Tx<'_>) -> Result<(), Error> {
        sqlx::query("insert into events values (1)").execute(&mut *tx).await?;
        std::thread::sleep(Duration::from_millis(150));
        Ok(())
    }

    /// COMMIT would be sent and not waited for: applied, and told as in doubt.
    #[tokio::test]
    async fn no_commit_is_begun_when_no_time_is_left() {
        for own_limit in [false, true] {
            let database = database().await;
            let told = if own_limit {
                keeps_its_thread_busy_for_too_long(database.pool()).await
            } else {
                within(Duration::from_millis(100), keeps_its_thread_busy(database.pool())).await
            };
            let failure = told.unwrap_err().unit();
            assert_eq!((failure.kind(), failure.phase()), (Kind::AttemptTimeout, Phase::Body));
            assert_eq!(failure.outcome(), Outcome::NotApplied);
            let rows: i64 = sqlx::query_scalar("select count(*) from events").fetch_one(database.pool()).await.unwrap();
            assert_eq!(rows, 0);
        }
    }
}
