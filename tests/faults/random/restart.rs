//! A PostgreSQL that is stopped and started while units run on it.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use sqlx::postgres::PgPoolOptions;
use steadfast_tests::postgres::{Database, Spare};

use super::{
    Books, PARTS, Told,
    postgres::{Fault, Plan, prepared, rows, run},
};
use crate::engines::postgres::inside_transaction;

const STRUCK: &str = "server stopped and started";
const ANSWERS: [&str; 5] = ["plain", "fail", "resolve", "keyed", "receipt"];

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "needs PostgreSQL: tests/run"]
async fn a_server_that_is_stopped_and_started_makes_no_unit_lie() {
    let mut server = Spare::start().await;
    let database = prepared(Database::on(server.options(), 2).await).await;
    let pool = PgPoolOptions::new().max_connections(4).connect_lazy_with(database.options());
    let (books, ended) = (Arc::new(Books::default()), Arc::new(AtomicBool::new(false)));
    let tasks: Vec<_> = (0..8)
        .map(|task| {
            let (pool, books, ended) = (pool.clone(), Arc::clone(&books), Arc::clone(&ended));
            tokio::spawn(async move {
                for (unit, answer) in (task..).step_by(8).zip(ANSWERS.iter().cycle()) {
                    if ended.load(Ordering::Relaxed) {
                        break;
                    }
                    let result = run(&pool, answer, unit, &Plan::new(Fault::None, PARTS)).await;
                    let met = if result.is_ok() { "no fault" } else { STRUCK };
                    books.note(unit, met, answer, Told::of(Some(result)));
                }
            })
        })
        .collect();
    let some_more = async || {
        let target = books.told() + 200;
        while books.told() < target {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    };
    // Most units are replayed and have nothing to tell; three at least must.
    for (round, signal) in ["INT", "KILL"].iter().cycle().take(40).enumerate() {
        if round >= 4 && books.met(STRUCK) >= 3 {
            break;
        }
        some_more().await;
        server.stop(signal).await;
        server.start_again().await;
    }
    // The same pool goes on.
    some_more().await;
    ended.store(true, Ordering::Relaxed);
    for task in tasks {
        task.await.unwrap();
    }
    let poisoned = inside_transaction(&pool).await;
    let audit = books.audit(rows(&database).await);
    audit.report("postgres", 0, poisoned);
    assert_eq!((audit.wrong(), poisoned), ([0; 4], 0), "{audit}");
    assert!(books.met(STRUCK) >= 3, "{audit}");
}
