//! Many tasks on four hot rows: who gets through, how often it is tried, and how long it takes. Ours beside others, in one run.
//!
//! `cargo bench -p steadfast-tests --bench contention` measures SQLite; `tests/run --bench contention` also PostgreSQL, on a server
//! of its own. Four minutes at most. Subjects take turns within a table, so that a busy machine is busy for all: compare inside
//! one table only. Rows and the gaps of the 80–120 % loop are seeded; ours and backon's come from the thread's generator.

use std::{
    env,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use futures_util::future::BoxFuture;
use rand::{RngExt, SeedableRng, rngs::StdRng};
use steadfast::{Classify, UnitFailure};
use tokio::sync::Barrier;

#[allow(clippy::duplicate_mod)] // the point: the same subjects on two engines
#[path = "contention/postgres.rs"]
mod postgres;
#[path = "contention/sqlite.rs"]
mod sqlite;
#[path = "contention/table.rs"]
mod table;

/// The numbers of every subject that waits.
const BASE: Duration = Duration::from_millis(50);
const CAP: Duration = Duration::from_millis(200);
const RETRIES: u32 = 3;

mod retry {
    steadfast::policies! {
        pub(crate) policy full = capped(base = "50ms", cap = "200ms", retries = 3, jitter = full).on(contention);
        pub(crate) policy equal = capped(base = "50ms", cap = "200ms", retries = 3, jitter = equal).on(contention);
        pub(crate) policy decorrelated = capped(base = "50ms", cap = "200ms", retries = 3, jitter = decorrelated).on(contention);
        pub(crate) policy proportional = capped(base = "50ms", cap = "200ms", retries = 3, jitter = proportional).on(contention);
        pub(crate) policy gated = capped(base = "50ms", cap = "200ms", retries = 3).on(contention).gate();
    }
}

const NAMES: [&str; 10] = [
    "steadfast, full",
    "steadfast, equal",
    "steadfast, decorrelated",
    "steadfast, proportional",
    "steadfast, .gate()",
    "immediate retry",
    "backon",
    "80–120 % (Effect's)",
    "no retry",
    "fair queue by hand",
];
const GATE: usize = 4;
const EFFECT: usize = 7;
const QUEUE: usize = 9;

#[derive(Debug, thiserror::Error, Classify)]
enum Error {
    #[error(transparent)]
    #[classify(transparent)]
    Db(#[from] sqlx::Error),
    #[error(transparent)]
    #[classify(transparent)]
    Unit(#[from] UnitFailure),
}

fn is_contention(error: &Error) -> bool {
    error.failure().is_some_and(|failure| failure.kind.is_contention())
}

/// Every attempt of every subject takes one connection: the pools count them here.
static ATTEMPTS: AtomicU64 = AtomicU64::new(0);

fn attempted() -> bool {
    ATTEMPTS.fetch_add(1, Ordering::Relaxed);
    true
}

/// One unit that a task asks for.
#[derive(Clone, Copy)]
struct Ask {
    row: i64,
    seed: u64,
}

/// What came of one round.
struct Round {
    asked: u64,
    attempts: u64,
    /// Until the last one was answered.
    took: Duration,
    /// Of those that succeeded.
    latencies: Vec<Duration>,
}

/// All tasks start together; each asks for so many units, one after the other.
async fn measure(
    tasks: u64,
    units: u64,
    seed: u64,
    run: impl Fn(Ask) -> BoxFuture<'static, Result<(), Error>> + Clone + Send + 'static,
) -> Round {
    let barrier = Arc::new(Barrier::new(usize::try_from(tasks).expect("few") + 1));
    let started: Vec<_> = (0..tasks)
        .map(|task| {
            let (barrier, run) = (Arc::clone(&barrier), run.clone());
            tokio::spawn(async move {
                let mut random = StdRng::seed_from_u64(seed ^ (task << 32));
                barrier.wait().await;
                let mut latencies = Vec::new();
                for _ in 0..units {
                    let ask = Ask { row: random.random_range(0..4), seed: random.random() };
                    let start = Instant::now();
                    if run(ask).await.is_ok() {
                        latencies.push(start.elapsed());
                    }
                }
                latencies
            })
        })
        .collect();
    let before = ATTEMPTS.load(Ordering::Relaxed);
    barrier.wait().await;
    let start = Instant::now();
    let mut latencies = Vec::new();
    for task in started {
        latencies.append(&mut task.await.expect("no task panics"));
    }
    let took = start.elapsed();
    let attempts = ATTEMPTS.load(Ordering::Relaxed) - before;
    Round { asked: tasks * units, attempts, took, latencies }
}

const TASKS: [u64; 3] = [8, 32, 64];
/// How a table is called, how many units each task asks for, and how long the table may take.
const LOOPS: [(&str, u64, Duration); 2] =
    [("burst", 1, Duration::from_secs(15)), ("closed loop", 4, Duration::from_secs(24))];
const MOST_ROUNDS: u64 = 25;

macro_rules! engine {
    ($engine:ident, $name:literal) => {{
        let (_database, pool) = $engine::open(64).await;
        $engine::subjects::prepare(&pool).await;
        for (title, units, limit) in LOOPS {
            for tasks in TASKS {
                let mut rounds: [Vec<Round>; NAMES.len()] = Default::default();
                let start = Instant::now();
                for seed in 0..MOST_ROUNDS {
                    // A turn is begun only when as long a one still fits.
                    let turns = u32::try_from(seed).expect("few");
                    if turns > 0 && start.elapsed() + start.elapsed() / turns > limit {
                        break;
                    }
                    for (subject, rounds) in rounds.iter_mut().enumerate() {
                        rounds.push($engine::subjects::round(&pool, subject, tasks, units, seed).await);
                    }
                }
                table::print($name, title, tasks, units, &rounds);
            }
        }
    }};
}

#[tokio::main(worker_threads = 2)]
async fn main() {
    engine!(sqlite, "SQLite");
    if env::var_os(steadfast_tests::postgres::URL).is_some() {
        engine!(postgres, "PostgreSQL SERIALIZABLE");
    } else {
        println!(
            "PostgreSQL is left out: {} is not set. `tests/run --bench contention` starts a server and sets it.",
            steadfast_tests::postgres::URL
        );
    }
}
