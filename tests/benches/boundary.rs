//! What the boundary of a unit costs: `#[atomic_unit]` beside a hand-written `begin` and `commit` of the same statements.
//!
//! `cargo bench -p steadfast-tests --bench boundary`; with `tests/run --bench boundary` it also counts what is sent to PostgreSQL.
//! SQLite in memory, a pool of one connection: nothing but the boundary is slow. Batches of the two take turns, and the ratio is
//! the median over pairs. The counting allocator makes each allocation dearer, which is to our disadvantage.
//! `--repeat ours|hand STATEMENTS TIMES` runs one subject, for a profiler.

use std::{
    env,
    time::{Duration, Instant},
};

use sqlx::{
    PgPool, SqlitePool,
    postgres::PgPoolOptions,
    sqlite::{SqliteConnectOptions, SqlitePoolOptions},
};
use steadfast::{Classify, UnitFailure, atomic_unit, postgres, sqlite};
use steadfast_tests::{postgres::Database, proxy::Proxy};

#[global_allocator]
static ALLOCATOR: dhat::Alloc = dhat::Alloc;

mod retry {
    steadfast::policies! {
        pub(crate) policy contention = capped(base = "50ms", cap = "200ms", retries = 3).on(contention);
        pub(crate) policy transient = capped(base = "50ms", cap = "200ms", retries = 3).on(contention, connection_lost);
    }
}

#[derive(Debug, thiserror::Error, Classify)]
enum Error {
    #[error(transparent)]
    #[classify(transparent)]
    Db(#[from] sqlx::Error),
    #[error(transparent)]
    #[classify(transparent)]
    Unit(#[from] UnitFailure),
}

macro_rules! statements {
    ($tx:expr, $statements:expr) => {
        for id in 0..$statements {
            sqlx::query("update hot set n = n + 1 where id = $1").bind(id).execute(&mut *$tx).await?;
        }
    };
}

#[atomic_unit(retry = contention)]
async fn unit(tx: &mut sqlite::Tx<'_>, statements: i64) -> Result<(), Error> {
    statements!(tx, statements);
    Ok(())
}

async fn hand(pool: &SqlitePool, statements: i64) -> Result<(), Error> {
    let mut transaction = pool.begin_with("BEGIN IMMEDIATE").await?;
    statements!(transaction, statements);
    Ok(transaction.commit().await?)
}

const HOT: [&str; 2] = [
    "create table hot (id bigint primary key, n bigint not null)",
    "insert into hot values (0, 0), (1, 0), (2, 0), (3, 0)",
];

async fn open() -> SqlitePool {
    let options: SqliteConnectOptions = "sqlite::memory:".parse().expect("the options");
    let pool = SqlitePoolOptions::new().max_connections(1).connect_with(options).await.expect("a database in memory");
    for sql in HOT {
        sqlx::query(sql).execute(&pool).await.expect("the hot rows");
    }
    pool
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Subject {
    Hand,
    Ours,
}

async fn repeat(subject: Subject, pool: &SqlitePool, statements: i64, times: u32) -> Duration {
    let start = Instant::now();
    for _ in 0..times {
        match subject {
            Subject::Hand => hand(pool, statements).await,
            Subject::Ours => unit(pool, statements).await,
        }
        .expect("nothing is in its way");
    }
    start.elapsed()
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_unstable_by(f64::total_cmp);
    values[values.len() / 2]
}

/// Allocations a unit.
async fn allocations(subject: Subject, pool: &SqlitePool, statements: i64) -> f64 {
    const TIMES: u32 = 1_000;
    let _profiler = dhat::Profiler::builder().testing().build();
    repeat(subject, pool, statements, TIMES).await;
    #[allow(clippy::cast_precision_loss)] // some ten thousand
    let blocks = dhat::HeapStats::get().total_blocks as f64;
    blocks / f64::from(TIMES)
}

async fn measure(statements: i64) {
    const BATCH: u32 = 50;
    let pool = open().await;
    let (mut hand, mut ours, mut ratios) = (Vec::new(), Vec::new(), Vec::new());
    for pair in 0..400 {
        // Each goes first as often as the other.
        let mut order = [Subject::Hand, Subject::Ours];
        order.rotate_left(pair % 2);
        let mut times = [0.0; 2];
        for subject in order {
            let took = repeat(subject, &pool, statements, BATCH).await;
            times[subject as usize] = took.as_secs_f64() * 1e6 / f64::from(BATCH);
        }
        hand.push(times[0]);
        ours.push(times[1]);
        ratios.push(times[1] / times[0]);
    }
    let blocks =
        (allocations(Subject::Hand, &pool, statements).await, allocations(Subject::Ours, &pool, statements).await);
    println!(
        "{statements:>10} {:>10.1} {:>10.1} {:>8.3} {:>12.1} {:>12.1} {:>8.1}",
        median(hand),
        median(ours),
        median(ratios),
        blocks.0,
        blocks.1,
        blocks.1 - blocks.0
    );
}

// -------------------------------------------------------------------------------------------- what is sent to PostgreSQL

#[atomic_unit(retry = contention)]
async fn pg_unit(tx: &mut postgres::Tx<'_>, statements: i64) -> Result<(), Error> {
    statements!(tx, statements);
    Ok(())
}

#[atomic_unit(retry = transient, in_doubt = resolve)]
async fn pg_resolved(tx: &mut postgres::Tx<'_>, statements: i64) -> Result<(), Error> {
    statements!(tx, statements);
    Ok(())
}

async fn pg_hand(pool: &PgPool, statements: i64) -> Result<(), Error> {
    let mut transaction = pool.begin_with("BEGIN").await?;
    statements!(transaction, statements);
    Ok(transaction.commit().await?)
}

/// Round trips of one transaction with two statements, as a proxy counts them.
async fn round_trips() {
    let database = Database::with(1).await;
    for sql in HOT {
        sqlx::query(sql).execute(database.pool()).await.expect("the hot rows");
    }
    let proxy = Proxy::before(&database.options()).await;
    let options = proxy.options(&database.options());
    let pool = PgPoolOptions::new().max_connections(1).connect_with(options).await.expect("the server answers");
    println!("\nround trips to PostgreSQL of one transaction with two statements, the pool's ping included:");
    let mut of_hand = None;
    for name in ["hand-written", "atomic_unit", "atomic_unit, in_doubt = resolve"] {
        let mut trips = 0;
        // The first time also prepares what is kept afterwards.
        for _ in 0..2 {
            let before = proxy.round_trips();
            match name {
                "hand-written" => pg_hand(&pool, 2).await,
                "atomic_unit" => pg_unit(&pool, 2).await,
                _ => pg_resolved(&pool, 2).await,
            }
            .expect("nothing is in its way");
            trips = proxy.round_trips() - before;
        }
        let hand = *of_hand.get_or_insert(trips);
        println!("{name:<32} {trips:>3} ({:+})", trips.cast_signed() - hand.cast_signed());
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let arguments: Vec<String> = env::args().collect();
    if let Some(at) = arguments.iter().position(|argument| argument == "--repeat") {
        let subject = if arguments[at + 1] == "ours" { Subject::Ours } else { Subject::Hand };
        let (statements, times) = (arguments[at + 2].parse().unwrap(), arguments[at + 3].parse().unwrap());
        repeat(subject, &open().await, statements, times).await;
        return;
    }
    println!("a transaction on SQLite in memory, median µs and allocations\n");
    println!(
        "{:>10} {:>10} {:>10} {:>8} {:>12} {:>12} {:>8}",
        "statements", "hand", "ours", "ratio", "allocs, hand", "allocs, ours", "more"
    );
    for statements in [1, 2, 4] {
        measure(statements).await;
    }
    if env::var_os(steadfast_tests::postgres::URL).is_some() {
        round_trips().await;
    } else {
        println!("\nwhat is sent is not counted: that takes PostgreSQL, as `tests/run --bench boundary` starts it");
    }
}
