//! PostgreSQL: one connection, eight, two hundred replicas on one slot, and what is written for who loses.

pub(crate) use sqlx::PgPool as Pool;
pub(crate) use steadfast::PostgresLeases as Leases;

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use futures_util::future::join_all;
use sqlx::postgres::{PgConnectOptions, PgPoolOptions};
use steadfast_tests::postgres::Database;
use tokio::sync::Barrier;

use crate::table::{Subject, compare, head, milliseconds};

#[path = "subjects.rs"]
#[allow(clippy::duplicate_mod, reason = "once for each engine")]
mod subjects;

use subjects::Scene;

async fn pool(options: PgConnectOptions, connections: u32) -> Pool {
    let pool = PgPoolOptions::new().min_connections(connections).max_connections(connections);
    pool.acquire_timeout(Duration::from_mins(1)).connect_with(options).await.expect("the server answers")
}

pub(crate) async fn measure() {
    let database = Database::with(1).await;
    let scene = Scene::on(pool(database.options(), 1).await).await;
    let fsync: String = sqlx::query_scalar("show fsync").fetch_one(&scene.pool).await.expect("the server answers");
    head(&format!("PostgreSQL, fsync {fsync}, 1 connection"));
    compare(&scene.subjects(), 200).await;
    written(&scene).await;
    eight().await;
    replicas().await;
    winners().await;
}

/// Bytes of write-ahead log for who loses, the least of some tries: the server writes on its own as well.
async fn written(scene: &Scene) {
    const CALLS: i64 = 500;
    let position = async || -> i64 {
        let sql = "select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::bigint";
        sqlx::query_scalar(sql).fetch_one(&scene.pool).await.expect("the server answers")
    };
    let mut least = [i64::MAX; 2];
    for _ in 0..5 {
        for (index, least) in least.iter_mut().enumerate() {
            let before = position().await;
            for _ in 0..CALLS {
                if index == 0 {
                    scene.claim("taken", 0).await;
                } else {
                    scene.upsert("taken", 0).await;
                }
            }
            *least = (*least).min(position().await - before);
        }
    }
    let [claim, upsert] = least.map(|bytes| bytes / CALLS);
    println!("bytes of log for a claim that lost: {claim} (reach 0), for the upsert: {upsert}");
}

/// Eight connections at once, on one row and on rows of their own.
async fn eight() {
    const NAMES: [&str; 8] = ["job-1", "job-2", "job-3", "job-4", "job-5", "job-6", "job-7", "job-8"];
    let database = Database::with(1).await;
    let scene = &Scene::on(pool(database.options(), 8).await).await;
    for name in NAMES {
        let sql = "insert into bare values ($1, 0) on conflict do nothing";
        sqlx::query(sql).bind(name).execute(&scene.pool).await.expect("the server answers");
    }
    head("PostgreSQL, 8 connections, rows of their own");
    let each = |calls: u32| 0..calls / 8;
    let subjects = [
        Subject::new("bare UPDATE", None, move |_, calls| async move {
            let of = async |name| {
                for _ in each(calls) {
                    scene.update(name).await;
                }
            };
            join_all(NAMES.map(of)).await;
        }),
        Subject::new("claim, won", Some(("bare UPDATE", "reach 0.75")), move |from, calls| async move {
            let of = async |name| {
                for number in each(calls) {
                    assert!(scene.claim(name, from / 8 + number).await.is_won());
                }
            };
            join_all(NAMES.map(of)).await;
        }),
        Subject::new("bare SELECT, one row", None, move |_, calls| async move {
            let of = async |_| {
                for _ in each(calls) {
                    scene.select("taken").await;
                }
            };
            join_all(NAMES.map(of)).await;
        }),
        Subject::new(
            "claim, lost, one row",
            Some(("bare SELECT, one row", "reach 0.77")),
            move |_, calls| async move {
                let of = async |_| {
                    for _ in each(calls) {
                        assert!(!scene.claim("taken", 0).await.is_won());
                    }
                };
                join_all(NAMES.map(of)).await;
            },
        ),
        Subject::new(
            "upsert without a read, lost, one row",
            Some(("claim, lost, one row", "reach 0.125 and less")),
            move |_, calls| async move {
                let of = async |_| {
                    for _ in each(calls) {
                        assert!(!scene.upsert("taken", 0).await);
                    }
                };
                join_all(NAMES.map(of)).await;
            },
        ),
    ];
    compare(&subjects, 1600).await;
}

/// Two hundred replicas, a connection each, on one slot at once.
async fn replicas() {
    const REPLICAS: usize = 200;
    const ROUNDS: u32 = 15;
    let database = Database::with(1).await;
    let scene = Arc::new(Scene::on(pool(database.options(), u32::try_from(REPLICAS).expect("few")).await).await);
    let [mut claims, mut upserts, mut selects] = [(); 3].map(|()| Vec::new());
    for round in 0..=ROUNDS {
        for (index, times) in [&mut claims, &mut upserts, &mut selects].into_iter().enumerate() {
            let barrier = Arc::new(Barrier::new(REPLICAS + 1));
            let tasks: Vec<_> = (0..REPLICAS)
                .map(|_| {
                    let (scene, barrier) = (Arc::clone(&scene), Arc::clone(&barrier));
                    tokio::spawn(async move {
                        barrier.wait().await;
                        match index {
                            0 => scene.claim("crowded", round + 1).await.is_won(),
                            1 => scene.upsert("crowded", round + 1).await,
                            _ => {
                                scene.select("crowded").await;
                                false
                            }
                        }
                    })
                })
                .collect();
            barrier.wait().await;
            let begun = Instant::now();
            let won = join_all(tasks).await.into_iter().filter(|won| matches!(won, Ok(true))).count();
            if round > 0 {
                times.push(begun.elapsed());
            }
            assert_eq!(won, usize::from(index < 2), "winners of a slot");
        }
    }
    let [claims, upserts, selects] = [claims, upserts, selects].map(milliseconds);
    println!("\nPostgreSQL, {REPLICAS} replicas on one slot, until all are answered");
    println!("200 bare SELECTs {selects:.1} ms, claims {claims:.1} ms, upserts without a read {upserts:.1} ms");
    println!(
        "claims of the SELECTs {:.2} (reach 3 and less), upserts of the SELECTs {:.2}",
        claims / selects,
        upserts / selects
    );
}

/// Every slot has one winner.
async fn winners() {
    const SLOTS: u32 = 10_000;
    const REPLICAS: u32 = 8;
    let database = Database::with(1).await;
    let scene = Scene::on(pool(database.options(), REPLICAS).await).await;
    let begun = Instant::now();
    let mut doubled = 0;
    for number in 1..=SLOTS {
        let claims = join_all((0..REPLICAS).map(|_| scene.claim("contended", number))).await;
        let won = claims.iter().filter(|claimed| claimed.is_won()).count();
        assert!(won >= 1, "slot {number} has no winner");
        doubled += u32::from(won > 1);
    }
    println!(
        "\nPostgreSQL, {SLOTS} slots, {REPLICAS} claimers at once: {doubled} slots with more than one winner (reach 0), {:.0} s",
        begun.elapsed().as_secs_f64()
    );
}
