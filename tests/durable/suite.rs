//! The time of the relay is a number that the test moves: a delay is computed from the row, so nothing has to be waited for.

use std::{collections::BTreeMap, sync::Mutex, time::Duration};

use steadfast::{Classify, UnitFailure, atomic_unit, durable, provider_call};

use super::engine::{self, Database, Pool, Tx, engine_test};
use crate::{engines::cancelled_after, retry};

const EVENTS: i64 = 12;
/// Never delivered.
const BROKEN: i64 = 3;
/// Delivered at the fourth attempt.
const SHY: i64 = 5;
/// Told once to come back in a minute.
const BUSY: i64 = 7;

#[derive(Debug, thiserror::Error, Classify)]
enum Error {
    #[error("unavailable")]
    #[classify(unavailable)]
    Unavailable,
    #[error("later")]
    #[classify(rate_limited, retry_after = wait)]
    Later { wait: Duration },
    #[error(transparent)]
    #[classify(transparent)]
    Db(#[from] sqlx::Error),
    #[error(transparent)]
    #[classify(transparent)]
    Unit(#[from] UnitFailure),
}

/// Who receives: how often each event was asked of it, and how often it took it.
#[derive(Default)]
struct Receiver(Mutex<BTreeMap<i64, (u32, u32)>>);

impl Receiver {
    fn of(&self, event: i64) -> (u32, u32) {
        self.0.lock().unwrap().get(&event).copied().unwrap_or_default()
    }

    /// The policy would retry five times; under the durable retrier each call is one.
    #[provider_call(retry = provider, idempotent = client_id(event))]
    async fn send(&self, event: i64) -> Result<(), Error> {
        // The question and its answer are under way once each, however fast they are: two places to be cut off at.
        tokio::task::yield_now().await;
        let answer = self.answer(event);
        tokio::task::yield_now().await;
        answer
    }

    fn answer(&self, event: i64) -> Result<(), Error> {
        let mut all = self.0.lock().unwrap();
        let (asked, taken) = all.entry(event).or_default();
        *asked += 1;
        match event {
            BROKEN => return Err(Error::Unavailable),
            SHY if *asked < 4 => return Err(Error::Unavailable),
            BUSY if *asked < 2 => return Err(Error::Later { wait: Duration::from_mins(1) }),
            _ => {}
        }
        *taken += 1;
        Ok(())
    }
}

#[atomic_unit(retry = contention)]
async fn end(tx: &mut Tx<'_>, id: i64, how: &str) -> Result<(), Error> {
    sqlx::query(engine::sql("update outbox set ended = $1 where id = $2")).bind(how).bind(id).execute(&mut *tx).await?;
    Ok(())
}

#[atomic_unit(retry = contention)]
async fn later(tx: &mut Tx<'_>, id: i64, failed: i32, due: i64) -> Result<(), Error> {
    let sql = engine::sql("update outbox set failed = $1, due_ms = $2 where id = $3");
    sqlx::query(sql).bind(failed).bind(due).bind(id).execute(&mut *tx).await?;
    Ok(())
}

/// Every event that is due at that time, each on its own.
async fn pass(db: &Pool, receiver: &Receiver, now: i64) -> Result<(), Error> {
    let sql = engine::sql("select id, failed from outbox where ended is null and due_ms <= $1 order by id");
    let due: Vec<(i64, i32)> = sqlx::query_as(sql).bind(now).fetch_all(db).await?;
    for (id, failed) in due {
        let Err(refused) = durable::scope(receiver.send(id)).await else {
            end(db, id, "delivered").await?;
            continue;
        };
        let asked = refused.failure().and_then(|failure| failure.retry_after);
        match retry::relay::delay((failed + 1).unsigned_abs(), &id).map(|delay| delay.at_least(asked)) {
            Some(delay) => {
                let delay = i64::try_from(delay.duration().as_millis()).unwrap();
                later(db, id, failed + 1, now + delay).await?;
            }
            None => end(db, id, "set aside").await?,
        }
    }
    Ok(())
}

async fn outbox() -> Database {
    let database = Database::create().await;
    let sql =
        "create table outbox (id bigint primary key, failed int not null, due_ms bigint not null, ended varchar(20))";
    sqlx::query(sql).execute(database.pool()).await.unwrap();
    for id in 1..=EVENTS {
        let sql = engine::sql("insert into outbox (id, failed, due_ms) values ($1, 0, 0)");
        sqlx::query(sql).bind(id).execute(database.pool()).await.unwrap();
    }
    database
}

/// When the next event is due; `None` when all have ended.
async fn next_due(db: &Pool) -> Option<i64> {
    sqlx::query_scalar("select min(due_ms) from outbox where ended is null").fetch_one(db).await.unwrap()
}

async fn ended(db: &Pool, how: &'static str) -> Vec<i64> {
    let sql = engine::sql("select id from outbox where ended = $1 order by id");
    sqlx::query_scalar(sql).bind(how).fetch_all(db).await.unwrap()
}

engine_test! {
    async fn one_bad_event_holds_up_no_other_and_its_delays_grow_to_their_end() {
        let (database, receiver) = (outbox().await, Receiver::default());
        let db = database.pool();
        let mut delays = Vec::new();
        let mut now = 0;
        while let Some(due) = next_due(db).await {
            delays.push(due - now);
            now = due;
            pass(db, &receiver, now).await.unwrap();
        }
        let all_but_one: Vec<_> = (1..=EVENTS).filter(|id| *id != BROKEN).collect();
        assert_eq!(ended(db, "delivered").await, all_but_one);
        assert_eq!(ended(db, "set aside").await, [BROKEN]);
        // One call an attempt: the policy of the call adds none.
        assert_eq!(receiver.of(BROKEN), (retry::relay::ATTEMPTS, 0));
        assert_eq!((receiver.of(SHY), receiver.of(BUSY), receiver.of(1)), ((4, 1), (2, 1), (1, 1)));
        assert!(delays.iter().any(|delay| *delay > 30 * 60 * 1000), "the cap is an hour: {delays:?}");
        assert!(delays.iter().all(|delay| *delay <= 60 * 60 * 1000), "{delays:?}");
    }
}

engine_test! {
    /// Dropped after one poll, after two, and so on, as a killed process would leave it: the rows know where to go on.
    async fn a_relay_that_is_cut_off_anywhere_loses_nothing_and_begins_no_delay_anew() {
        let (database, receiver) = (outbox().await, Receiver::default());
        let db = database.pool();
        let (mut now, mut cut) = (0, 0_u32);
        while let Some(due) = next_due(db).await {
            now = due.max(now);
            for polls in 0.. {
                match cancelled_after(polls, pass(db, &receiver, now)).await {
                    Some(done) => {
                        done.unwrap();
                        break;
                    }
                    None => cut += 1,
                }
            }
        }
        // Each attempt at the one that is never delivered. What a server's answers add depends on how fast they are.
        assert!(cut >= 2 * retry::relay::ATTEMPTS, "only {cut} were cut off");
        assert_eq!(ended(db, "set aside").await, [BROKEN]);
        assert_eq!(ended(db, "delivered").await.len(), 11);
        let taken: Vec<_> = (1..=EVENTS).map(|id| receiver.of(id).1).collect();
        assert!(taken.iter().zip(1..).all(|(taken, id)| (*taken > 0) == (id != BROKEN)), "{taken:?}");
    }
}
