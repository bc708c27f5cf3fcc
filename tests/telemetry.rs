//! What units tell: counters for attempts, one event at the end, and no secret in either.

use std::{
    collections::BTreeMap,
    io::{self, Write},
    sync::{Arc, Mutex},
    time::Duration,
};

use metrics_util::debugging::{DebugValue, DebuggingRecorder, Snapshotter};
use sqlx::SqlitePool;
use steadfast::{Classify, Kind, UnitFailure, atomic_unit, provider_call, sqlite::Tx};
use steadfast_tests::sqlite::Database;
use tracing_subscriber::fmt::{MakeWriter, format::FmtSpan};

use crate::engines::{Error, Runs};

/// What was logged, as text.
#[derive(Clone, Default)]
pub(crate) struct Log(Arc<Mutex<Vec<u8>>>);

impl Log {
    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.0.lock().unwrap()).into_owned()
    }

    /// The lines of events: spans that close are lines, too.
    fn events(&self) -> Vec<String> {
        self.text().lines().filter(|line| !line.contains("close time.busy")).map(str::to_owned).collect()
    }
}

impl Write for Log {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl MakeWriter<'_> for Log {
    type Writer = Self;

    fn make_writer(&self) -> Self {
        self.clone()
    }
}

/// Writes every event, and every span with its fields.
pub(crate) fn log_to(log: &Log) -> impl tracing::Subscriber + use<> {
    tracing_subscriber::fmt()
        .with_max_level(tracing_subscriber::filter::LevelFilter::TRACE)
        .with_span_events(FmtSpan::CLOSE)
        .with_ansi(false)
        .with_writer(log.clone())
        .finish()
}

/// Runs on this thread alone, and returns what was counted and logged meanwhile.
pub(crate) fn told(work: impl Future<Output = ()>) -> (BTreeMap<String, u64>, Log) {
    let recorder = DebuggingRecorder::new();
    let snapshots = recorder.snapshotter();
    let log = Log::default();
    let subscriber = log_to(&log);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    metrics::with_local_recorder(&recorder, || {
        tracing::subscriber::with_default(subscriber, || runtime.block_on(work));
    });
    (counters(&snapshots), log)
}

/// `name{label=value,…}` → count.
fn counters(snapshots: &Snapshotter) -> BTreeMap<String, u64> {
    let mut counters = BTreeMap::new();
    for (key, _, _, value) in snapshots.snapshot().into_vec() {
        let labels: Vec<_> = key.key().labels().map(|label| format!("{}={}", label.key(), label.value())).collect();
        let name = format!("{}{{{}}}", key.key().name(), labels.join(","));
        let count = match value {
            DebugValue::Counter(count) => count,
            DebugValue::Histogram(values) => values.len() as u64,
            DebugValue::Gauge(_) => continue,
        };
        counters.insert(name, count);
    }
    counters
}

#[track_caller]
fn assert_counted(counters: &BTreeMap<String, u64>, expected: &[(&str, u64)]) {
    let units: Vec<_> = counters
        .iter()
        .filter(|(name, _)| name.starts_with("steadfast_"))
        .map(|(name, count)| (name.as_str(), *count))
        .collect();
    assert_eq!(units, expected);
}

async fn database() -> Database {
    let database = Database::with(2, Duration::from_millis(1)).await;
    sqlx::query("create table events (id integer primary key)").execute(database.pool()).await.unwrap();
    database
}

#[atomic_unit(retry = transient, idempotent = set_state)]
async fn loses_its_connection(tx: &mut Tx<'_>, times: u32, runs: &Runs) -> Result<(), Error> {
    if runs.count() <= times {
        return Err(Error::Db(sqlx::Error::WorkerCrashed));
    }
    sqlx::query("insert into events values (1)").execute(&mut *tx).await?;
    Ok(())
}

#[atomic_unit(retry = transient, idempotent = set_state)]
async fn says_no(tx: &mut Tx<'_>) -> Result<(), Error> {
    sqlx::query("insert into events values (2)").execute(&mut *tx).await?;
    Err(Error::Domain)
}

#[test]
fn a_retried_unit_counts_its_attempts_and_logs_nothing() {
    let (counters, log) = told(async {
        let database = database().await;
        loses_its_connection(database.pool(), 2, &Runs::default()).await.unwrap();
    });
    assert_counted(
        &counters,
        &[
            ("steadfast_retry_wait_seconds{policy=transient}", 2),
            (
                "steadfast_unit_attempts_total{unit=all::telemetry::loses_its_connection,kind=connection_lost,phase=body}",
                2,
            ),
            ("steadfast_unit_attempts_total{unit=all::telemetry::loses_its_connection,kind=none,phase=commit}", 1),
            (
                "steadfast_unit_runs_total{unit=all::telemetry::loses_its_connection,policy=transient,outcome=committed}",
                1,
            ),
        ],
    );
    let ours: Vec<_> = log.events().into_iter().filter(|line| line.contains("steadfast::")).collect();
    assert_eq!(ours, [""; 0]);
    let span = log.text();
    assert!(span.contains("steadfast.unit.attempts=3"), "{span}");
}

#[test]
fn a_unit_that_fails_for_good_is_one_event() {
    let (counters, log) = told(async {
        let database = database().await;
        loses_its_connection(database.pool(), 9, &Runs::default()).await.unwrap_err();
    });
    assert_counted(
        &counters,
        &[
            ("steadfast_retry_wait_seconds{policy=transient}", 3),
            (
                "steadfast_unit_attempts_total{unit=all::telemetry::loses_its_connection,kind=connection_lost,phase=body}",
                4,
            ),
            (
                "steadfast_unit_runs_total{unit=all::telemetry::loses_its_connection,policy=transient,outcome=not_applied}",
                1,
            ),
        ],
    );
    let events: Vec<_> = log.events().into_iter().filter(|line| line.contains("atomic unit failed")).collect();
    let [event] = &events[..] else { panic!("{events:#?}") };
    for field in [
        "WARN",
        "unit=\"all::telemetry::loses_its_connection\"",
        "policy=\"transient\"",
        "attempts=4",
        "kind=\"connection_lost\"",
        "phase=\"body\"",
        "outcome=\"not_applied\"",
    ] {
        assert!(event.contains(field), "{field} is not in {event}");
    }
}

#[test]
fn a_domain_error_is_counted_and_not_logged() {
    let (counters, log) = told(async {
        let database = database().await;
        assert!(matches!(says_no(database.pool()).await, Err(Error::Domain)));
    });
    assert_counted(
        &counters,
        &[("steadfast_unit_runs_total{unit=all::telemetry::says_no,policy=transient,outcome=domain_error}", 1)],
    );
    assert!(!log.text().contains("WARN"), "{}", log.text());
}

#[derive(Debug, thiserror::Error, Classify)]
enum MailError {
    #[error("too many")]
    #[classify(rate_limited, retry_after = wait)]
    TooMany { wait: Option<Duration> },
    #[error("down")]
    #[classify(unavailable)]
    Down,
    #[error(transparent)]
    #[classify(transparent)]
    Unit(#[from] UnitFailure),
}

#[provider_call(retry = limited)]
async fn mail(runs: &Runs, fails: u32, wait: Option<Duration>) -> Result<u32, MailError> {
    if runs.count() <= fails { Err(MailError::TooMany { wait }) } else { Ok(runs.total()) }
}

#[provider_call(retry = provider, idempotent = client_id(key))]
async fn charge(key: &str, runs: &Runs) -> Result<(), MailError> {
    assert_eq!(key, "order-7");
    runs.count();
    Err(MailError::Down)
}

#[test]
fn a_provider_call_is_repeated_and_reported_once() {
    let (counters, log) = told(async {
        let runs = Runs::default();
        assert_eq!(mail(&runs, 2, None).await.unwrap(), 3);
        let runs = Runs::default();
        assert!(matches!(charge("order-7", &runs).await, Err(MailError::Down)));
        assert_eq!(runs.total(), 4);
    });
    assert_counted(
        &counters,
        &[
            ("steadfast_retry_wait_seconds{policy=limited}", 2),
            ("steadfast_retry_wait_seconds{policy=provider}", 3),
            ("steadfast_unit_attempts_total{unit=all::telemetry::charge,kind=unavailable,phase=call}", 4),
            ("steadfast_unit_attempts_total{unit=all::telemetry::mail,kind=rate_limited,phase=call}", 2),
        ],
    );
    assert_eq!(log.text().matches("provider call failed").count(), 1, "{}", log.text());
}

/// A wish that does not fit is not clamped: the typed error comes at once.
#[test]
fn a_wish_to_wait_longer_than_the_policy_ends_the_call() {
    let (_, _) = told(async {
        for (wait, expected) in [(Duration::from_mins(1), 1), (Duration::MAX, 1), (Duration::from_micros(100), 4)] {
            let runs = Runs::default();
            let error = mail(&runs, 9, Some(wait)).await.unwrap_err();
            assert_eq!(error.failure().unwrap().kind, Kind::RateLimited);
            assert_eq!(runs.total(), expected, "{wait:?}");
        }
    });
}

// --------------------------------------------------------------------------------------------------------- secrets

pub(crate) const CANARY: &str = "c4nary-hunter2";

#[atomic_unit(retry = contention)]
async fn note(tx: &mut Tx<'_>, text: &str) -> Result<(), Error> {
    sqlx::query("insert into notes values ($1)").bind(text).execute(&mut *tx).await?;
    Ok(())
}

async fn notes(pool: &SqlitePool) {
    sqlx::query("create table notes (text text primary key check (length(text) < 20))").execute(pool).await.unwrap();
}

#[test]
fn no_value_of_a_row_is_told_on_sqlite() {
    let (counters, log) = told(async {
        let database = Database::with(1, Duration::from_secs(1)).await;
        notes(database.pool()).await;
        note(database.pool(), CANARY).await.unwrap();
        let error = note(database.pool(), CANARY).await.unwrap_err();
        assert!(!format!("{error}{error:?}").contains(CANARY));
        note(database.pool(), &CANARY.repeat(3)).await.unwrap_err();
    });
    assert!(log.text().contains("code=\"1555\"") && log.text().contains("code=\"275\""), "{}", log.text());
    assert!(!log.text().contains(CANARY), "{}", log.text());
    assert!(counters.keys().all(|name| !name.contains(CANARY)));
}

mod postgres {
    use sqlx::postgres::PgPoolOptions;
    use steadfast::{UnitFailure, atomic_unit, postgres::Tx};
    use steadfast_tests::postgres::Database;

    use super::{CANARY, Error, told};

    #[atomic_unit(retry = transient, in_doubt = fail)]
    async fn note(tx: &mut Tx<'_>, sql: &'static str) -> Result<(), Error> {
        sqlx::query(sql).bind(CANARY).execute(&mut *tx).await?;
        Ok(())
    }

    #[atomic_unit(retry = transient, in_doubt = fail)]
    async fn swallow(tx: &mut Tx<'_>, sql: &'static str) -> Result<(), UnitFailure> {
        let _ = sqlx::query(sql).bind(CANARY).execute(&mut *tx).await;
        Ok(())
    }

    /// The password and the query of the URL, bound values, and the DETAIL of a unique violation.
    #[test]
    #[ignore = "needs PostgreSQL: tests/run"]
    fn no_secret_is_told_on_postgres() {
        let (counters, log) = told(async {
            let database = Database::create().await;
            sqlx::query("create table notes (text text primary key)").execute(database.pool()).await.unwrap();
            let options = database.options().password(CANARY).application_name(CANARY);
            let nowhere = options.clone().port(1);
            let pool = PgPoolOptions::new().connect_with(options).await.unwrap();
            note(&pool, "insert into notes values ($1)").await.unwrap();
            for sql in [
                "insert into notes values ($1)",
                "select $1::text::bigint",
                "select pg_terminate_backend(pg_backend_pid()), $1::text",
            ] {
                note(&pool, sql).await.unwrap_err();
                let failure = swallow(&pool, sql).await.unwrap_err();
                let chain = format!("{failure} {failure:?} {:?}", std::error::Error::source(&failure));
                assert!(!chain.contains(CANARY), "{chain}");
            }
            let pool =
                PgPoolOptions::new().acquire_timeout(std::time::Duration::from_millis(50)).connect_lazy_with(nowhere);
            let failure = note(&pool, "select $1::text").await.unwrap_err().unit();
            assert!(!format!("{failure:?}").contains(CANARY), "{failure:?}");
        });
        let ours: String = log.text().lines().filter(|line| !line.contains(" sqlx")).collect();
        assert!(ours.contains("code=\"23505\"") && ours.contains("code=\"22P02\""), "{ours}");
        assert!(!log.text().contains(CANARY), "{}", log.text());
        assert!(counters.keys().all(|name| !name.contains(CANARY)));
    }
}
