//! Trials in SQLite, for the server.

use async_trait::async_trait;
use sqlx::SqlitePool;
use steadfast::{Slot, atomic_unit, sqlite::Tx};

use crate::{TrialError, Trials};

pub(crate) use sqlx::Error;

/// Trials in a SQLite database.
#[derive(Clone, Debug)]
pub struct SqliteTrials(SqlitePool);

impl SqliteTrials {
    /// In this database, whose tables are made if they are not there.
    ///
    /// # Errors
    /// What the database says.
    pub async fn install(db: &SqlitePool) -> Result<Self, sqlx::Error> {
        let tables =
            include_str!("../migrations/0002_trials.sql").replace("CREATE TABLE", "CREATE TABLE IF NOT EXISTS");
        sqlx::raw_sql(sqlx::AssertSqlSafe(tables)).execute(db).await?;
        Ok(Self(db.clone()))
    }
}

#[atomic_unit(retry = contention)]
async fn close(tx: &mut Tx<'_>, trial: i64, slot: Slot) -> Result<(), TrialError> {
    let closed =
        sqlx::query("update trials set closed = 1 where id = $1 and closed = 0").bind(trial).execute(&mut *tx).await?;
    if closed.rows_affected() == 1 {
        let key = slot.key(&format!("trial-{trial}-closed"));
        let mail = sqlx::query("insert into outbox (key, body) values ($1, 'your trial has ended')").bind(key);
        mail.execute(&mut *tx).await?;
    }
    Ok(())
}

#[async_trait]
impl Trials for SqliteTrials {
    async fn due_at(&self, slot: Slot) -> Result<Vec<i64>, TrialError> {
        let due = sqlx::query_scalar("select id from trials where closed = 0 and ends_at <= $1 order by id");
        Ok(due.bind(slot.unix_seconds()).fetch_all(&self.0).await?)
    }

    async fn close(&self, trial: i64, slot: Slot) -> Result<(), TrialError> {
        close(&self.0, trial, slot).await
    }

    async fn open(&self) -> Result<i64, TrialError> {
        Ok(sqlx::query_scalar("select count(*) from trials where closed = 0").fetch_one(&self.0).await?)
    }
}
