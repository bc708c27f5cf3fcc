//! The mail slice: every slot, each subscriber gets one digest.

use std::time::Duration;

use sqlx::SqlitePool;
use steadfast::{JobClock, Slot, job};

/// Exclusive: two replicas must not send the same mail. A replica that dies in the middle of a slot leaves its lease, which
/// runs out half a minute into the slot after; `overlap = skip` says that this is understood.
#[job(name = "mail.send-digest", cron = "* * * * *", exclusive, timeout = "30s", overlap = skip)]
pub async fn send_digest(slot: Slot, db: &SqlitePool, mailer: &Mailer, clock: &JobClock) -> sqlx::Result<()> {
    let subscribers: Vec<String> =
        sqlx::query_scalar("select address from subscribers order by address").fetch_all(db).await?;
    for address in subscribers {
        mailer.send(slot, &address, clock).await?;
    }
    Ok(())
}

/// Stands for a mail server: it takes a while, and it sends what it is told, as often as it is told.
pub struct Mailer {
    pub server: SqlitePool,
    /// Who is asking.
    pub replica: i64,
}

impl Mailer {
    async fn send(&self, slot: Slot, address: &str, clock: &JobClock) -> sqlx::Result<()> {
        // One row a mail, and no unique key: a slot that ran twice would show.
        sqlx::query("insert into mails (slot, address, replica) values ($1, $2, $3)")
            .bind(slot.unix_seconds())
            .bind(address)
            .bind(self.replica)
            .execute(&self.server)
            .await?;
        clock.sleep(Duration::from_secs(3)).await;
        Ok(())
    }
}
