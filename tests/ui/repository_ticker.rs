//! docs/rules.md#repositories-never-retry: a ticker in a repository.

#![allow(unused)]

use steadfast::{repository, sqlite::Tx};

struct Trials {
    ticks: tokio::time::Interval,
}

#[repository]
impl Trials {
    async fn close_all(&mut self, tx: &mut Tx<'_>) -> Result<(), sqlx::Error> {
        loop {
            self.ticks.tick().await;
        }
    }
}

fn main() {}
