//! Random faults on an engine that is a server, by way of a proxy for each task.

use std::{sync::Arc, time::Duration};

use rand::{RngExt as _, rngs::StdRng};
use steadfast::Receipts;
use steadfast_tests::proxy::{Fate, Proxy};
use tokio::task::JoinHandle;

use super::{
    engine::{self, Database, Pool, engine_test, inside_transaction},
    units::{Fault, Plan, run},
};
use crate::{
    engines::{cancelled_after, cancelled_when},
    faults::random::{Books, PARTS, Told, generator, pick, seed, units},
};

const FAULTS: [(u32, Fault, &str); 12] = [
    (3, Fault::None, "no fault"),
    (2, Fault::Commit(Fate::CutBefore), "cut before COMMIT arrives"),
    (2, Fault::Commit(Fate::SwallowAnswer), "cut before COMMIT is answered"),
    (1, Fault::Commit(Fate::CutAfter), "cut after COMMIT was answered"),
    (2, Fault::CancelledInCommit, "cancelled in COMMIT"),
    (3, Fault::Cancelled, "cancelled at a random poll"),
    (2, Fault::Terminated, engine::TERMINATED),
    (2, Fault::LockTimeout, "lock timeout"),
    (2, Fault::Contended, engine::CONTENDED),
    (1, Fault::Swallowed, "refused statement, swallowed"),
    (1, Fault::Abandoned, "statement dropped before its answer"),
    (1, Fault::Domain, "domain error"),
];

pub(crate) async fn database() -> Database {
    prepared(Database::create().await).await
}

pub(crate) async fn prepared(database: Database) -> Database {
    for sql in [
        "create table appended (unit bigint not null, part bigint not null)",
        "create table keyed (unit bigint not null, part bigint not null, primary key (unit, part))",
        "create table hot (id bigint primary key, n bigint not null)",
        "insert into hot values (1, 0), (2, 0), (3, 0)",
    ] {
        sqlx::query(sql).execute(database.pool()).await.unwrap();
    }
    Receipts::new(database.pool()).install().await.unwrap();
    database
}

pub(crate) async fn rows(database: &Database) -> Vec<(i64, i64)> {
    let sql =
        "select unit, count(*) from (select unit from appended union all select unit from keyed) as r group by unit";
    sqlx::query_as(sql).fetch_all(database.pool()).await.unwrap()
}

/// What one task works with: the fates that it scripts strike its own COMMITs.
pub(crate) struct Desk {
    pub(crate) proxy: Proxy,
    pub(crate) pool: Pool,
}

impl Desk {
    async fn one(&self, books: &Books, unit: i64, random: &mut StdRng) {
        let (fault, name) = pick(random, &FAULTS.map(|(weight, fault, name)| (weight, (fault, name))));
        let answer = pick(random, engine::ANSWERS);
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
        books.note(unit, if plan.missed() { "no fault" } else { name }, answer, Told::of(result.as_ref()));
    }
}

/// Holds a row every other moment.
async fn hold(pool: Pool) {
    loop {
        let mut holder = pool.begin().await.unwrap();
        sqlx::query("update hot set n = n where id = 2").execute(&mut *holder).await.unwrap();
        tokio::time::sleep(Duration::from_millis(5)).await;
        holder.rollback().await.unwrap();
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
}

engine_test! {
    async fn no_unit_is_applied_twice_or_half_and_nobody_is_told_a_lie() {
        let (seed, units) = (seed(), units());
        let database = Arc::new(database().await);
        let rivals = [
            tokio::spawn(hold(database.pool().clone())),
            tokio::spawn(engine::compete(database.pool().clone())),
        ];
        let books = Arc::new(Books::default());
        let tasks: Vec<_> = (0..4)
            .map(|task| {
                let (database, books) = (Arc::clone(&database), Arc::clone(&books));
                tokio::spawn(async move {
                    let desk = engine::desk(&database).await;
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
        rivals.iter().for_each(JoinHandle::abort);
        let audit = books.audit(rows(&database).await);
        audit.report(engine::NAME, seed, poisoned);
        assert_eq!((audit.wrong(), poisoned), ([0; 4], 0), "seed {seed}");
        // The server answers, so it says what became of each.
        assert_eq!(audit.in_doubt.get("resolve"), None, "seed {seed}");
    }
}
