//! docs/rules.md#repositories-never-retry: a retry in a repository.

#![allow(unused)]

use backon::Retryable;
use steadfast::{repository, sqlite::Tx};

struct Trials;

#[repository]
impl Trials {
    async fn close(&self, tx: &mut Tx<'_>, trial: i64) -> Result<(), sqlx::Error> {
        let ping = || async { Err(sqlx::Error::RowNotFound) };
        ping.retry(backon::ExponentialBuilder::default()).await
    }

    async fn open(&self, tx: &mut Tx<'_>, trial: i64) -> Result<(), sqlx::Error> {
        loop {
            tokio::time::sleep(std::time::Duration::from_millis(50)).await;
        }
    }
}

fn main() {}
