//! What a fair queue must not do: let the one whose turn it is sleep while others wait, or let latecomers in before it.

use std::sync::{
    Mutex,
    atomic::{AtomicBool, Ordering},
};

use steadfast::{atomic_unit, postgres::Tx};
use steadfast_tests::postgres::Database;
use tokio::sync::Notify;

use crate::engines::Error;

/// What two callers do to each other.
#[derive(Debug, Default)]
struct Scene {
    runs: Mutex<Vec<&'static str>>,
    entered: Notify,
    second_is_there: AtomicBool,
}

impl Scene {
    fn runs(&self, who: &'static str) -> usize {
        let mut runs = self.runs.lock().unwrap();
        runs.push(who);
        runs.iter().filter(|run| **run == who).count()
    }
}

#[atomic_unit(retry = once_an_hour)]
async fn take(tx: &mut Tx<'_>, who: &'static str, scene: &Scene) -> Result<(), Error> {
    const LOCKED: &str = "select 1 from hot where id = 1 for update nowait";
    match (who, scene.runs(who)) {
        ("first", 1) => {
            sqlx::query(LOCKED).execute(&mut *tx).await?;
        }
        ("first", 2) => {
            scene.entered.notify_one();
            while !scene.second_is_there.load(Ordering::Relaxed) {
                tokio::task::yield_now().await;
            }
            sqlx::query(LOCKED).execute(&mut *tx).await?;
        }
        _ => {}
    }
    Ok(())
}

/// With gaps of half an hour and more: this test ends only if nobody sleeps.
#[tokio::test]
#[ignore = "needs PostgreSQL: tests/run"]
async fn nobody_sleeps_in_his_turn_and_nobody_jumps_the_queue() {
    let database = Database::create().await;
    for sql in ["create table hot (id bigint primary key)", "insert into hot values (1)"] {
        sqlx::query(sql).execute(database.pool()).await.unwrap();
    }
    let mut holder = database.pool().begin().await.unwrap();
    sqlx::query("select 1 from hot where id = 1 for update").execute(&mut *holder).await.unwrap();
    let scene = Scene::default();
    let second = async {
        scene.entered.notified().await;
        scene.second_is_there.store(true, Ordering::Relaxed);
        // In the queue from its first poll on, which is now.
        take(database.pool(), "second", &scene).await
    };
    let (first, second) = tokio::join!(take(database.pool(), "first", &scene), second);
    first.unwrap();
    second.unwrap();
    assert_eq!(*scene.runs.lock().unwrap(), ["first", "first", "second", "first"]);
}
