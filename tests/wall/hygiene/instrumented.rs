//! `#[tracing::instrument]` beside ours: above it is expanded first and makes a span for each attempt, below one for the whole.

use std::sync::atomic::{AtomicU32, Ordering};

use steadfast::{Classify, Failure, Kind, UnitFailure, atomic_unit, provider_call, sqlite::Tx};
use tracing::{Instrument as _, instrument};

use crate::telemetry::{Log, log_to};

#[derive(Debug, thiserror::Error)]
#[error("not now")]
struct NotNow;

#[derive(Debug, thiserror::Error, Classify)]
enum TrialError {
    #[error(transparent)]
    #[classify(with = contention)]
    NotNow(#[from] NotNow),
    #[error(transparent)]
    #[classify(transparent)]
    Unit(#[from] UnitFailure),
}

#[allow(clippy::unnecessary_wraps)] // the form that `with` asks for
fn contention(_: &NotNow) -> Option<Failure> {
    Some(Failure::of(Kind::Serialization))
}

fn second_time(runs: &AtomicU32) -> Result<(), TrialError> {
    if runs.fetch_add(1, Ordering::Relaxed) == 0 { Err(NotNow.into()) } else { Ok(()) }
}

#[instrument(skip(tx, runs))]
#[atomic_unit(retry = hasty)]
async fn each_attempt(tx: &mut Tx<'_>, trial: i64, runs: &AtomicU32) -> Result<(), TrialError> {
    sqlx::query("select $1").bind(trial).execute(&mut *tx).await.expect("a database");
    second_time(runs)
}

#[atomic_unit(retry = hasty)]
#[instrument(skip(pool, runs), err)]
async fn the_whole(tx: &mut Tx<'_>, trial: i64, runs: &AtomicU32) -> Result<(), TrialError> {
    sqlx::query("select $1").bind(trial).execute(&mut *tx).await.expect("a database");
    second_time(runs)
}

#[provider_call(retry = limited)]
#[instrument]
async fn charge(cents: u64) -> Result<u64, TrialError> {
    Ok(cents)
}

#[tokio::test]
async fn a_span_is_where_its_attribute_stands() {
    let shop = crate::wall::shop().await;
    let log = Log::default();
    let work = async {
        each_attempt(shop.pool(), 1, &AtomicU32::new(0)).await.unwrap();
        the_whole(shop.pool(), 2, &AtomicU32::new(0)).await.unwrap();
        assert_eq!(charge(3).await.unwrap(), 3);
    };
    let guard = tracing::subscriber::set_default(log_to(&log));
    work.instrument(tracing::Span::none()).await;
    let closed = |span: &str| {
        let text = log.text();
        text.lines().filter(|line| line.contains(&format!("{span}: ")) && line.contains("close")).count()
    };
    // A connection on its way back to its pool is still within the span.
    while closed("the_whole{trial=2}") == 0 {
        tokio::task::yield_now().await;
    }
    drop(guard);
    let counts = (closed("each_attempt{trial=1}"), closed("the_whole{trial=2}"), closed("charge{cents=3}"));
    assert_eq!(counts, (2, 1, 1), "{}", log.text());
}
