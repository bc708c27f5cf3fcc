//! Stands for a message broker: it takes a while, refuses what it is told to refuse, and counts what it receives.

use std::time::Duration;

use steadfast::{Classify, provider_call};

use crate::db::Pool;

#[derive(Debug, thiserror::Error, Classify)]
pub enum Error {
    #[error("the broker does not answer")]
    #[classify(unavailable)]
    Unavailable,
    #[error("the broker asks for {} s", wait.as_secs())]
    #[classify(rate_limited, retry_after = wait)]
    TooMany { wait: Duration },
    #[error(transparent)]
    #[classify(transparent)]
    Db(#[from] sqlx::Error),
    #[error(transparent)]
    #[classify(transparent)]
    Unit(#[from] steadfast::UnitFailure),
}

impl Error {
    pub fn retry_after(&self) -> Option<Duration> {
        self.failure()?.retry_after
    }
}

pub struct Broker {
    pub db: Pool,
}

impl Broker {
    /// The id is the event's, so the receiver knows an event that comes twice.
    #[provider_call(retry = never, idempotent = client_id(event), allow(sleep))]
    pub async fn send(&self, event: i64, payload: &str, failed: i32) -> Result<(), Error> {
        tokio::time::sleep(Duration::from_millis(20)).await;
        match payload {
            "broken" => return Err(Error::Unavailable),
            "shy" if failed < 2 => return Err(Error::Unavailable),
            "busy" if failed < 1 => return Err(Error::TooMany { wait: Duration::from_secs(1) }),
            _ => {}
        }
        let sql = "insert into received (event, times) values ($1, 1) on conflict (event) do update set times = received.times + 1";
        sqlx::query(sql).bind(event).execute(&self.db).await?;
        Ok(())
    }
}
