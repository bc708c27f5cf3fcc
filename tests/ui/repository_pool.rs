//! docs/rules.md#repositories-never-retry: a connection besides the caller's transaction.

#![allow(unused)]

use sqlx::SqlitePool;
use steadfast::{repository, sqlite::Tx};

struct Trials {
    db: SqlitePool,
}

#[repository]
impl Trials {
    async fn close(&self, tx: &mut Tx<'_>, db: &SqlitePool) -> Result<(), sqlx::Error> {
        Ok(())
    }

    async fn rename(&self, db: &sea_orm::DatabaseExecutor<'_>) -> Result<(), sqlx::Error> {
        Ok(())
    }

    async fn open(&self, tx: &mut Tx<'_>) -> Result<(), sqlx::Error> {
        let own = self.db.begin().await?;
        own.commit().await
    }

    async fn count(&self, trial: i64) -> Result<i64, sqlx::Error> {
        sqlx::query_scalar("select count(*) from trials").fetch_one(&self.db).await
    }
}

#[repository]
impl Trials {
    fn name(&self) -> &'static str {
        "trials"
    }
}

#[repository]
async fn declares(tx: &mut Tx<'_>) {
    steadfast::policies! { policy own = capped(base = "1s", cap = "2s", retries = 3).on(contention); }
}

#[repository]
struct NoFunctions;

fn main() {}
