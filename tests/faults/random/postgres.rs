//! Random faults on PostgreSQL, by way of a proxy for each task.

use std::{sync::Arc, time::Duration};

use rand::{RngExt, rngs::StdRng};
use sqlx::{PgPool, postgres::PgPoolOptions};
use steadfast::Receipts;
use steadfast_tests::{
    postgres::Database,
    proxy::{Fate, Proxy},
};

use super::{Books, PARTS, Told, generator, pick, seed, units};
use crate::engines::{Error, cancelled_after, cancelled_when, postgres::inside_transaction};

mod body;

use body::{Fault, Plan, run};

const FAULTS: [(u32, Fault, &str); 12] = [
    (3, Fault::None, "no fault"),
    (2, Fault::Commit(Fate::CutBefore), "cut before COMMIT arrives"),
    (2, Fault::Commit(Fate::SwallowAnswer), "cut before COMMIT is answered"),
    (1, Fault::Commit(Fate::CutAfter), "cut after COMMIT was answered"),
    (2, Fault::CancelledInCommit, "cancelled in COMMIT"),
    (3, Fault::Cancelled, "cancelled at a random poll"),
    (2, Fault::Terminated, "pg_terminate_backend at a statement"),
    (2, Fault::LockTimeout, "lock timeout"),
    (2, Fault::Contended, "serialization failure"),
    (1, Fault::Swallowed, "refused statement, swallowed"),
    (1, Fault::Abandoned, "statement dropped before its answer"),
    (1, Fault::Domain, "domain error"),
];

async fn database() -> Database {
    let database = Database::create().await;
    for sql in [
        "create table appended (unit bigint not null, part bigint not null)",
        "create table keyed (unit bigint not null, part bigint not null, primary key (unit, part))",
        "create table hot (id bigint primary key, n bigint not null)",
        "insert into hot values (1, 0), (2, 0)",
    ] {
        sqlx::query(sql).execute(database.pool()).await.unwrap();
    }
    Receipts::new(database.pool()).install().await.unwrap();
    database
}

async fn rows(database: &Database) -> Vec<(i64, i64)> {
    let sql =
        "select unit, count(*) from (select unit from appended union all select unit from keyed) as r group by unit";
    sqlx::query_as(sql).fetch_all(database.pool()).await.unwrap()
}

/// What one task works with: the fates that it scripts strike its own COMMITs.
struct Desk {
    proxy: Proxy,
    pool: PgPool,
}

impl Desk {
    async fn new(database: &Database) -> Self {
        let options = database.options().options([("default_transaction_isolation", "serializable")]);
        let proxy = Proxy::before(&options).await;
        let pool = PgPoolOptions::new().max_connections(2).connect_lazy_with(proxy.options(&options));
        Self { proxy, pool }
    }

    async fn one(&self, books: &Books, unit: i64, random: &mut StdRng) {
        let (fault, name) = pick(random, &FAULTS.map(|(weight, fault, name)| (weight, (fault, name))));
        let answers = [(4, "plain"), (1, "timed"), (2, "fail"), (2, "resolve"), (2, "keyed"), (2, "receipt")];
        let answer = pick(random, &answers);
        let plan = Plan::new(fault, random.random_range(0..=PARTS));
        let polls = random.random_range(0..12);
        let fate = match fault {
            Fault::Commit(fate) => fate,
            Fault::CancelledInCommit => pick(random, &[(1, Fate::Pass), (1, Fate::Stall)]),
            _ => Fate::Pass,
        };
        self.proxy.forget();
        self.proxy.script([fate]);
        let commits = self.proxy.commits();
        let work = run(&self.pool, answer, unit, &plan);
        let result = match fault {
            Fault::Cancelled => cancelled_after(polls, work).await,
            Fault::CancelledInCommit => cancelled_when(|| self.proxy.commits() > commits, work).await,
            _ => Some(work.await),
        };
        books.note(unit, name, answer, Told::of(result));
    }
}

/// Holds a row every other moment.
async fn hold(pool: PgPool) {
    loop {
        let mut holder = pool.begin().await.unwrap();
        sqlx::query("update hot set n = n where id = 2").execute(&mut *holder).await.unwrap();
        tokio::time::sleep(Duration::from_millis(5)).await;
        holder.rollback().await.unwrap();
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "needs PostgreSQL: tests/run"]
async fn no_unit_is_applied_twice_or_half_and_nobody_is_told_a_lie() {
    let (seed, units) = (seed(), units(4_000));
    let database = Arc::new(database().await);
    let holding = tokio::spawn(hold(database.pool().clone()));
    let books = Arc::new(Books::default());
    let tasks: Vec<_> = (0..4)
        .map(|task| {
            let (database, books) = (Arc::clone(&database), Arc::clone(&books));
            tokio::spawn(async move {
                let desk = Desk::new(&database).await;
                for unit in (task..units).step_by(4) {
                    desk.one(&books, unit, &mut generator(seed, unit)).await;
                }
                desk.proxy.forget();
                inside_transaction(&desk.pool).await
            })
        })
        .collect();
    let mut poisoned = 0;
    for task in tasks {
        poisoned += task.await.unwrap();
    }
    holding.abort();
    let audit = books.audit(rows(&database).await);
    audit.report("postgres", seed, poisoned);
    assert_eq!((audit.wrong(), poisoned), ([0; 4], 0), "seed {seed}");
    // The server answers, so it says what became of each.
    assert_eq!(audit.in_doubt.get("resolve"), None, "seed {seed}");
}

/// Again after every error, and whatever COMMIT says.
async fn naive(pool: &PgPool, unit: i64, swallow: bool) -> Result<(), Error> {
    loop {
        let attempt = async {
            let mut transaction = pool.begin().await?;
            for part in 0..PARTS {
                sqlx::query(body::PLAIN).bind(unit).bind(part).execute(&mut *transaction).await?;
            }
            if swallow {
                drop(sqlx::query("insert into hot values (1, 0)").execute(&mut *transaction).await);
            }
            transaction.commit().await
        };
        if attempt.await.is_ok() {
            return Ok(());
        }
    }
}

/// The control: the same books find out a loop that repeats everything, and a COMMIT that is taken at its word.
#[tokio::test]
#[ignore = "needs PostgreSQL: tests/run"]
async fn the_books_find_what_a_naive_loop_does() {
    let database = database().await;
    let desk = Desk::new(&database).await;
    let (books, mut random) = (Books::default(), generator(seed(), 0));
    for unit in 0..40 {
        desk.proxy.script([pick(&mut random, &[(1, Fate::Pass), (1, Fate::SwallowAnswer)])]);
        let result = naive(&desk.pool, unit, unit % 4 == 0).await;
        books.note(unit, "naive", "naive", Told::of(Some(result)));
    }
    let audit = books.audit(rows(&database).await);
    assert!(audit.duplicates > 0 && audit.false_successes > 0, "{audit}");
}
