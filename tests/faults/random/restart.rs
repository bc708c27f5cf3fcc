//! A server that is stopped and started while units run on it. Each engine runs it with its own `super::engine`.

use std::{
    collections::HashMap,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use steadfast_tests::spare::{Server as _, Spare};

use super::{
    engine::{self, Connection, Database, engine_test, inside_transaction},
    proxied::{prepared, rows},
    units::{Fault, Plan, run},
};
use crate::faults::{
    random::{Books, PARTS},
    survival::{Met, Told},
};

const STRUCK: &str = "server stopped and started";

engine_test! {
async fn a_server_that_is_stopped_and_started_makes_no_unit_lie() {
    let met = Met::new(engine::NAME, STRUCK);
    let mut server = Spare::<Connection>::start().await;
    let database = prepared(Database::on(server.options(), 2).await).await;
    let pool = engine::lazy_pool(&database, 4);
    let (books, ended) = (Arc::new(Books::default()), Arc::new(AtomicBool::new(false)));
    let tasks: Vec<_> = (0..8)
        .map(|task| {
            let (pool, books, ended) = (pool.clone(), Arc::clone(&books), Arc::clone(&ended));
            tokio::spawn(async move {
                let mut struck = HashMap::new();
                let answers = engine::ANSWERS.iter().map(|(_, answer)| answer).filter(|answer| **answer != "timed");
                for (unit, answer) in (task..).step_by(8).zip(answers.cycle()) {
                    if ended.load(Ordering::Relaxed) {
                        break;
                    }
                    let plan = Plan::new(Fault::None, PARTS);
                    let result = run(&pool, answer, unit, &plan).await;
                    // One that was lost before its body ran and found another connection shows nothing.
                    let hit = result.is_err() || plan.runs.total() > 1;
                    books.note(unit, if hit { STRUCK } else { "no fault" }, answer, Told::of(Some(&result)));
                    if hit {
                        struck.insert(unit, plan.runs.total());
                    }
                }
                struck
            })
        })
        .collect();
    let some_more = async || {
        let target = books.told() + 200;
        while books.told() < target {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    };
    // Units that were struck in their body or in COMMIT; three at least must be.
    for (round, signal) in [Connection::END, "KILL"].into_iter().cycle().take(40).enumerate() {
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
    let mut struck = HashMap::new();
    for task in tasks {
        struck.extend(task.await.unwrap());
    }
    let poisoned = inside_transaction(&pool).await;
    let rows = rows(&database).await;
    met.many(struck.len(), struck.values().sum(), rows.iter().filter(|(unit, _)| struck.contains_key(unit)).count());
    let audit = books.audit(rows);
    audit.report(engine::NAME, 0, poisoned);
    assert_eq!((audit.wrong(), poisoned), ([0; 4], 0), "{audit}");
    assert!(books.met(STRUCK) >= 3, "{audit}");
}
}
