//! Random faults on SQLite.

use std::{sync::Arc, time::Duration};

use rand::{RngExt, rngs::StdRng};
use sqlx::SqlitePool;
use steadfast::{Receipts, atomic_unit, sqlite::Tx};
use steadfast_tests::sqlite::Database;
use tokio::sync::Mutex;

use super::{Books, PARTS, Told, generator, pick, seed, units};
use crate::engines::{Error, cancelled_after, sqlite::inside_transaction};

/// What happens to a unit, before the statement of that number; the last one is COMMIT.
#[derive(Clone, Copy, Debug)]
struct Plan {
    fault: Fault,
    at: i64,
}

impl Plan {
    /// Who swallows one error swallows the next.
    fn swallows(self) -> bool {
        use Fault::{Abandoned, Swallowed, SwallowedFull, SwallowedRollback};
        matches!(self.fault, Abandoned | Swallowed | SwallowedFull | SwallowedRollback)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fault {
    None,
    Cancelled,
    Busy,
    Full,
    SwallowedFull,
    Swallowed,
    SwallowedRollback,
    Abandoned,
    Domain,
}

const FAULTS: [(u32, Fault, &str); 9] = [
    (2, Fault::None, "no fault"),
    (4, Fault::Cancelled, "cancelled at a random poll"),
    (2, Fault::Busy, "a competing writer"),
    (1, Fault::Full, "disk full"),
    (1, Fault::SwallowedFull, "disk full, swallowed"),
    (1, Fault::Swallowed, "refused statement, swallowed"),
    (1, Fault::SwallowedRollback, "rollback by the engine, swallowed"),
    (1, Fault::Abandoned, "statement dropped before its answer"),
    (1, Fault::Domain, "domain error"),
];

async fn append(tx: &mut Tx<'_>, sql: &'static str, unit: i64, plan: Plan) -> Result<(), Error> {
    for part in 0..=PARTS {
        if part == plan.at {
            strike(tx, plan.fault).await?;
        }
        if part < PARTS {
            let answer = sqlx::query(sql).bind(unit).bind(part).execute(&mut *tx).await;
            if !plan.swallows() {
                answer?;
            }
        }
    }
    Ok(())
}

async fn strike(tx: &mut Tx<'_>, fault: Fault) -> Result<(), Error> {
    const TAKEN: &str = "insert into taken values (1)";
    match fault {
        Fault::None | Fault::Cancelled | Fault::Busy => {}
        Fault::Full | Fault::SwallowedFull => {
            // Never below the size that the database has: the next page is one too many.
            sqlx::query("pragma max_page_count = 1").execute(&mut *tx).await?;
            let refused = sqlx::query("insert into big values (zeroblob(100000))").execute(&mut *tx).await;
            if fault == Fault::Full {
                refused?;
            }
        }
        Fault::Swallowed => drop(sqlx::query(TAKEN).execute(&mut *tx).await),
        Fault::SwallowedRollback => {
            drop(sqlx::query("insert or rollback into taken values (1)").execute(&mut *tx).await);
        }
        Fault::Abandoned => {
            let _ = cancelled_after(0, sqlx::query("insert or rollback into taken values (1)").execute(&mut *tx)).await;
        }
        Fault::Domain => return Err(Error::Domain),
    }
    Ok(())
}

const PLAIN: &str = "insert into appended values ($1, $2)";
const KEYED: &str = "insert into keyed values ($1, $2) on conflict do nothing";

#[atomic_unit(retry = hasty)]
async fn plain(tx: &mut Tx<'_>, unit: i64, plan: Plan) -> Result<(), Error> {
    append(tx, PLAIN, unit, plan).await
}

#[atomic_unit(retry = hasty, attempt_timeout = "4ms")]
async fn timed(tx: &mut Tx<'_>, unit: i64, plan: Plan) -> Result<(), Error> {
    append(tx, PLAIN, unit, plan).await
}

#[atomic_unit(retry = transient, idempotent = client_id(unit))]
async fn keyed(tx: &mut Tx<'_>, unit: i64, plan: Plan) -> Result<(), Error> {
    append(tx, KEYED, unit, plan).await
}

#[atomic_unit(retry = transient, idempotent = receipt(unit))]
async fn receipt(tx: &mut Tx<'_>, unit: i64, plan: Plan) -> Result<(), Error> {
    append(tx, PLAIN, unit, plan).await
}

async fn run(pool: &SqlitePool, answer: &str, unit: i64, plan: Plan) -> Result<(), Error> {
    match answer {
        "plain" => plain(pool, unit, plan).await,
        "timed" => timed(pool, unit, plan).await,
        "keyed" => keyed(pool, unit, plan).await,
        _ => receipt(pool, unit, plan).await,
    }
}

async fn database() -> (Database, SqlitePool) {
    let database = Database::with(1, Duration::from_secs(5)).await;
    for sql in [
        "create table appended (unit bigint not null, part bigint not null)",
        "create table keyed (unit bigint not null, part bigint not null, primary key (unit, part))",
        "create table taken (id integer primary key)",
        "insert into taken values (1)",
        "create table big (b blob)",
    ] {
        sqlx::query(sql).execute(database.pool()).await.unwrap();
    }
    Receipts::new(database.pool()).install().await.unwrap();
    let pool = database.another_pool(4, Duration::from_millis(3)).await;
    (database, pool)
}

async fn rows(database: &Database) -> Vec<(i64, i64)> {
    let sql =
        "select unit, count(*) from (select unit from appended union all select unit from keyed) as r group by unit";
    sqlx::query_as(sql).fetch_all(database.pool()).await.unwrap()
}

/// A writer beside the units, which holds the write lock when told to.
type Writer = Mutex<SqlitePool>;

async fn one(pool: &SqlitePool, writer: &Writer, books: &Books, unit: i64, random: &mut StdRng) {
    let (fault, name) = pick(random, &FAULTS.map(|(weight, fault, name)| (weight, (fault, name))));
    let answer = pick(random, &[(5, "plain"), (1, "timed"), (2, "keyed"), (2, "receipt")]);
    let plan = Plan { fault, at: random.random_range(0..=PARTS) };
    let (polls, yields) = (random.random_range(0..10), random.random_range(0..200));
    let work = run(pool, answer, unit, plan);
    let result = match fault {
        Fault::Cancelled => cancelled_after(polls, work).await,
        Fault::Busy => {
            let writer = writer.lock().await;
            let held = writer.begin_with("begin immediate").await.unwrap();
            let release = async {
                for _ in 0..yields {
                    tokio::task::yield_now().await;
                }
                held.rollback().await.unwrap();
            };
            Some(tokio::join!(work, release).0)
        }
        _ => Some(work.await),
    };
    books.note(unit, name, answer, Told::of(result.as_ref()));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_unit_is_applied_twice_or_half_and_nobody_is_told_a_lie() {
    let (seed, units) = (seed(), units());
    let (database, pool) = database().await;
    let writer = Arc::new(Mutex::new(database.another_pool(1, Duration::from_secs(5)).await));
    let books = Arc::new(Books::default());
    let tasks: Vec<_> = (0..4)
        .map(|task| {
            let (pool, writer, books) = (pool.clone(), Arc::clone(&writer), Arc::clone(&books));
            tokio::spawn(async move {
                for unit in (task..units).step_by(4) {
                    one(&pool, &writer, &books, unit, &mut generator(seed, unit)).await;
                }
            })
        })
        .collect();
    for task in tasks {
        task.await.unwrap();
    }
    let poisoned = inside_transaction(&pool).await;
    let audit = books.audit(rows(&database).await);
    audit.report("sqlite", seed, poisoned);
    assert_eq!((audit.wrong(), poisoned), ([0; 4], 0), "seed {seed}");
}

/// A timeout around the attempt, and again when it strikes.
async fn naive(pool: &SqlitePool, unit: i64, random: &mut StdRng) -> Result<(), Error> {
    loop {
        let attempt = async {
            let mut transaction = pool.begin_with("begin immediate").await?;
            for part in 0..PARTS {
                sqlx::query(PLAIN).bind(unit).bind(part).execute(&mut *transaction).await?;
            }
            transaction.commit().await
        };
        if let Some(Ok(())) = cancelled_after(random.random_range(0..10), attempt).await {
            return Ok(());
        }
    }
}

/// The control: the same books find out a loop that repeats whatever was cut off.
#[tokio::test]
async fn the_books_find_what_a_naive_loop_applies_twice() {
    let (database, _) = database().await;
    let (books, mut random) = (Books::default(), generator(seed(), 0));
    for unit in 0..100 {
        let result = naive(database.pool(), unit, &mut random).await;
        books.note(unit, "cut off", "naive", Told::of(Some(&result)));
    }
    assert!(books.audit(rows(&database).await).duplicates > 0);
}
