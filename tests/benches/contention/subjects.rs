//! What is compared. All do the same statements and agree on what contention is; they differ in when they try again.

use std::time::Duration;

use backon::{ExponentialBuilder, Retryable};
use futures_util::future::BoxFuture;
use rand::{RngExt, SeedableRng, rngs::StdRng};
use steadfast::atomic_unit;
use tokio::sync::Mutex;

use super::{BEGIN, Pool, Tx};
use crate::{Ask, BASE, CAP, Error, RETRIES, Round, is_contention, measure};

macro_rules! statements {
    ($tx:expr, $row:expr) => {{
        let n: i64 = sqlx::query_scalar("select n from hot where id = $1").bind($row).fetch_one(&mut *$tx).await?;
        sqlx::query("update hot set n = $1 where id = $2").bind(n + 1).bind($row).execute(&mut *$tx).await?;
    }};
}

macro_rules! ours {
    ($($policy:ident)*) => {$(
        #[atomic_unit(retry = $policy)]
        async fn $policy(tx: &mut Tx<'_>, row: i64) -> Result<(), Error> {
            statements!(tx, row);
            Ok(())
        }
    )*};
}

ours! { full equal decorrelated proportional gated }

async fn attempt(pool: &Pool, row: i64) -> Result<(), Error> {
    let mut transaction = pool.begin_with(BEGIN).await?;
    statements!(transaction, row);
    Ok(transaction.commit().await?)
}

/// Tries again after the gap that is drawn for each retry.
async fn hand_loop(pool: &Pool, row: i64, mut gap: impl FnMut(u32) -> Duration) -> Result<(), Error> {
    let mut retries = 0;
    loop {
        match attempt(pool, row).await {
            Err(error) if retries < RETRIES && is_contention(&error) => {
                let gap = gap(retries);
                if !gap.is_zero() {
                    tokio::time::sleep(gap).await;
                }
                retries += 1;
            }
            result => return result,
        }
    }
}

/// Effect's `jittered` behind its cap: the longest gap is 240 ms.
async fn effect(pool: &Pool, ask: Ask) -> Result<(), Error> {
    let mut random = StdRng::seed_from_u64(ask.seed);
    hand_loop(pool, ask.row, |n| CAP.min(BASE * 2_u32.pow(n)).mul_f64(random.random_range(0.8..1.2))).await
}

async fn with_backon(pool: &Pool, row: i64) -> Result<(), Error> {
    let policy = ExponentialBuilder::default()
        .with_min_delay(BASE)
        .with_max_delay(CAP)
        .with_max_times(RETRIES as usize)
        .with_jitter();
    (|| attempt(pool, row)).retry(policy).when(is_contention).await
}

/// The floor: one at a time, in the order of arrival.
async fn in_turn(pool: &Pool, row: i64) -> Result<(), Error> {
    static QUEUE: Mutex<()> = Mutex::const_new(());
    let _turn = QUEUE.lock().await;
    hand_loop(pool, row, |_| Duration::ZERO).await
}

type Subject = fn(Pool, Ask) -> BoxFuture<'static, Result<(), Error>>;

const SUBJECTS: [Subject; crate::NAMES.len()] = [
    |pool, ask| Box::pin(async move { full(&pool, ask.row).await }),
    |pool, ask| Box::pin(async move { equal(&pool, ask.row).await }),
    |pool, ask| Box::pin(async move { decorrelated(&pool, ask.row).await }),
    |pool, ask| Box::pin(async move { proportional(&pool, ask.row).await }),
    |pool, ask| Box::pin(async move { gated(&pool, ask.row).await }),
    |pool, ask| Box::pin(async move { hand_loop(&pool, ask.row, |_| Duration::ZERO).await }),
    |pool, ask| Box::pin(async move { with_backon(&pool, ask.row).await }),
    |pool, ask| Box::pin(async move { effect(&pool, ask).await }),
    |pool, ask| Box::pin(async move { attempt(&pool, ask.row).await }),
    |pool, ask| Box::pin(async move { in_turn(&pool, ask.row).await }),
];

/// A pool whose connections are all open, and the hot rows.
pub(crate) async fn prepare(pool: &Pool) {
    for sql in [
        "create table hot (id bigint primary key, n bigint not null)",
        "insert into hot values (0, 0), (1, 0), (2, 0), (3, 0)",
    ] {
        sqlx::query(sql).execute(pool).await.expect("the hot rows");
    }
    let mut held = Vec::new();
    for _ in 0..pool.options().get_max_connections() {
        held.push(pool.acquire().await.expect("a connection"));
    }
}

/// One round of one subject. What it reports as done must be in the table.
pub(crate) async fn round(pool: &Pool, subject: usize, tasks: u64, units: u64, seed: u64) -> Round {
    let total = || async {
        let sum = sqlx::query_scalar::<_, i64>("select cast(sum(n) as bigint) from hot");
        sum.fetch_one(pool).await.expect("the sum")
    };
    let before = total().await;
    let run = SUBJECTS[subject];
    let pool_of_task = pool.clone();
    let round = measure(tasks, units, seed, move |ask| run(pool_of_task.clone(), ask)).await;
    let applied = total().await - before;
    assert_eq!(usize::try_from(applied), Ok(round.latencies.len()), "{}: applied, reported", crate::NAMES[subject]);
    round
}
