//! What each unit that meets a fault must hold to, checked in one way for all of them, and a line for the table that `tests/run`
//! prints: how many units met the fault, how often their bodies ran, how many rows they left.

use std::{
    env,
    error::Error as _,
    fmt::Debug,
    iter,
    sync::{Once, OnceLock},
};

use metrics_util::debugging::{DebuggingRecorder, Snapshotter};
use steadfast::{Kind, Outcome};
use steadfast_tests::tally;

use crate::{
    engines::{Error, Runs},
    telemetry::{CANARY, Log, log_to},
};

/// The rows of that table: the engines that can meet a fault, and the fault. `tests/run` misses a cell that no test has filled.
const NAMED: &str = include_str!("named.tsv");

/// What a caller was told of a unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Told {
    Applied,
    NotApplied,
    InDoubt,
    /// Nothing: it was cancelled.
    Nothing,
}

impl Told {
    pub(crate) fn of<T>(result: Option<&Result<T, Error>>) -> Self {
        match result {
            None => Self::Nothing,
            Some(Ok(_)) => Self::Applied,
            Some(Err(Error::Unit(failure))) if failure.outcome() == Outcome::InDoubt => Self::InDoubt,
            Some(Err(_)) => Self::NotApplied,
        }
    }
}

/// The units of a test that meet a fault. Each one that is applied leaves one row.
#[must_use]
pub(crate) struct Met {
    engine: &'static str,
    fault: &'static str,
    told: Vec<Told>,
}

impl Met {
    /// To be called before anything else, since what is logged and counted from here on must keep its secrets.
    #[track_caller]
    pub(crate) fn new(engine: &'static str, fault: &'static str) -> Self {
        let named = NAMED.lines().filter_map(|line| line.split_once('\t'));
        let stands =
            named.into_iter().any(|(engines, name)| name == fault && engines.split(' ').any(|at| at == engine));
        assert!(stands, "`{fault}` on {engine} does not stand in named.tsv");
        // Its password, and a part of its query.
        let url = match engine {
            "postgres" => env::var(steadfast_tests::postgres::URL).ok(),
            "mysql" => env::var(steadfast_tests::mysql::URL).ok(),
            _ => None,
        };
        assert!(url.is_none_or(|url| url.contains(CANARY)), "without a secret in the URL, none can be told");
        watch();
        Self { engine, fault, told: Vec::new() }
    }

    /// What a unit returned: its last real error is there, with its source.
    #[track_caller]
    pub(crate) fn told<T>(mut self, result: &Result<T, Error>) -> Self {
        if let Err(Error::Unit(failure)) = result
            && failure.kind() != Kind::AttemptTimeout
            // That one the body has dropped: its code is left.
            && self.fault != "error swallowed by the body"
        {
            let mut chain = iter::successors(failure.source(), |&error| error.source());
            assert!(
                chain.any(|error| error.downcast_ref::<sqlx::Error>().is_some()),
                "{failure:?} without the error of the database"
            );
        }
        self.told.push(Told::of(Some(result)));
        self
    }

    /// A unit that was dropped.
    #[track_caller]
    pub(crate) fn cancelled<T: Debug>(mut self, result: Option<T>) -> Self {
        if let Some(result) = result {
            panic!("it was ready: {result:?}");
        }
        self.told.push(Told::Nothing);
        self
    }

    /// A unit of this module that was dropped while its COMMIT was under way: the event says so, since nobody else is told.
    #[track_caller]
    pub(crate) fn cancelled_in_commit<T: Debug>(self, result: Option<T>, module: &str) -> Self {
        let met = self.cancelled(result);
        let (log, _) = LOG.get().expect("`watch` was called");
        let is_told = |line: &str| line.contains("cancelled during COMMIT") && line.contains(module);
        assert!(log.text().lines().any(is_told), "it was not in COMMIT");
        met
    }

    /// Compares what was told with what is there: the rows, and connections that are left in a transaction.
    #[track_caller]
    pub(crate) fn left(self, runs: &Runs, rows: i64, poisoned: usize) {
        let Self { engine, fault, told } = self;
        let count = |wanted: &[Told]| told.iter().filter(|told| wanted.contains(told)).count();
        let (applied, open) = (count(&[Told::Applied]), count(&[Told::InDoubt, Told::Nothing]));
        let there = usize::try_from(rows).expect("a count");
        assert!((applied..=applied + open).contains(&there), "{fault} on {engine}: {told:?}, and {rows} rows");
        assert_eq!(poisoned, 0, "{fault} on {engine}: connections in a transaction");
        Self { told: Vec::new(), engine, fault }.many(told.len(), runs.total(), there);
    }

    /// As [`left`](Self::left), where books are kept on the units: how many they were, how often their bodies ran, and how many
    /// were applied.
    #[track_caller]
    pub(crate) fn many(self, units: usize, runs: u32, applied: usize) {
        assert_nothing_told();
        tally::survived(self.engine, self.fault, units, runs, applied);
    }
}

static LOG: OnceLock<(Log, Snapshotter)> = OnceLock::new();

/// From here on, this process keeps what is logged and counted.
fn watch() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let (log, recorder) = (Log::default(), DebuggingRecorder::new());
        let snapshotter = recorder.snapshotter();
        recorder.install().expect("the only recorder of this process");
        tracing::subscriber::set_global_default(log_to(&log)).expect("the only subscriber of this process");
        let _ = LOG.set((log, snapshotter));
        metrics::counter!("control").increment(1);
        tracing::trace!("control");
    });
}

/// A password in a URL or its query, a value of a statement, a row that a unique violation quotes: nowhere.
#[track_caller]
fn assert_nothing_told() {
    let (log, metrics) = LOG.get().expect("`watch` was called");
    let text = log.text();
    assert!(text.contains("control"), "nothing was logged: this would show nothing");
    // What sqlx itself logs of a connection is not ours to keep.
    let leak = text.lines().find(|line| line.contains(CANARY) && !line.contains(" sqlx"));
    assert!(leak.is_none(), "{leak:?}");
    let keys: Vec<_> = metrics.snapshot().into_vec().into_iter().map(|(key, ..)| format!("{key:?}")).collect();
    assert!(keys.iter().any(|key| key.contains("control")), "nothing was counted: this would show nothing");
    assert!(keys.iter().all(|key| !key.contains(CANARY)), "{keys:?}");
}
