//! The outbox and its relay.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use steadfast::{atomic_unit, durable, repository, schedule};

use crate::{
    broker::{self, Broker},
    db::{Error, Pool, Tx},
    retry,
};

/// An event that waits for its delivery.
struct Event {
    id: i64,
    payload: String,
    /// How often it could not be delivered.
    failed: i32,
}

/// Part of its caller's transaction.
#[repository]
pub async fn append(tx: &mut Tx<'_>, id: i64, payload: &str) -> Result<(), Error> {
    sqlx::query("insert into outbox (id, payload) values ($1, $2)").bind(id).bind(payload).execute(&mut *tx).await?;
    Ok(())
}

/// Looks for events that are due, again and again.
pub async fn relay(db: &Pool, broker: &Broker) {
    let pass = async || {
        // A database that is away for a moment is told, and ends nothing.
        if let Err(error) = pass(db, broker).await {
            eprintln!("relay: {error}");
        }
        Ok::<_, Error>(())
    };
    // Without an end, and the pass returns no error: only the end of the process ends it.
    let _ = schedule::of::<retry::tick>().repeat(pass).await;
}

/// Every event that is due, each on its own: one that cannot be delivered holds up no other.
async fn pass(db: &Pool, broker: &Broker) -> Result<(), Error> {
    let sql =
        "select id, payload, failed from outbox where ended is null and due_ms <= $1 order by due_ms, id limit 50";
    let due: Vec<(i64, String, i32)> = sqlx::query_as(sql).bind(now_ms()).fetch_all(db).await?;
    for (id, payload, failed) in due {
        let event = Event { id, payload, failed };
        // The row tries again: in here, contention alone is retried.
        let sent = durable::scope(broker.send(event.id, &event.payload, event.failed)).await;
        match sent {
            Ok(()) => delivered(db, event.id).await?,
            Err(refused) => {
                let told = try_later(db, &event, &refused).await?;
                println!("relay: event {}: attempt {} failed, {refused}; {told}", event.id, event.failed + 1);
            }
        }
    }
    Ok(())
}

/// A crash before this one delivers the event again, which its receiver knows by the id.
#[atomic_unit(retry = contention)]
async fn delivered(tx: &mut Tx<'_>, id: i64) -> Result<(), Error> {
    sqlx::query("update outbox set ended = 'delivered' where id = $1").bind(id).execute(&mut *tx).await?;
    Ok(())
}

/// The count and the time of the next attempt are in the row, or the event is set aside for somebody to look at.
#[atomic_unit(retry = contention)]
async fn try_later(tx: &mut Tx<'_>, event: &Event, refused: &broker::Error) -> Result<String, Error> {
    let failed = event.failed + 1;
    let delay =
        retry::relay::delay(failed.unsigned_abs(), &event.id).map(|delay| delay.at_least(refused.retry_after()));
    let Some(delay) = delay else {
        let sql = "update outbox set failed = $1, ended = 'set aside' where id = $2";
        sqlx::query(sql).bind(failed).bind(event.id).execute(&mut *tx).await?;
        return Ok("set aside".to_owned());
    };
    let delay = millis(delay.into());
    let sql = "update outbox set failed = $1, due_ms = $2 where id = $3";
    sqlx::query(sql).bind(failed).bind(now_ms() + delay).bind(event.id).execute(&mut *tx).await?;
    Ok(format!("again in {delay} ms"))
}

fn now_ms() -> i64 {
    millis(SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default())
}

fn millis(duration: Duration) -> i64 {
    i64::try_from(duration.as_millis()).unwrap_or(i64::MAX)
}
