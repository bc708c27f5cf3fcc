//! The billing slice: a trial whose time is over is closed, and what was used is put on the bill.

use futures_util::future::try_join_all;
use sqlx::SqlitePool;
use steadfast::{Classify, Slot, atomic_unit, job, sqlite::Tx};

#[derive(Debug, thiserror::Error, Classify)]
pub enum TrialError {
    #[error("trial {0} is unknown")]
    Unknown(i64),
    #[error(transparent)]
    #[classify(transparent)]
    Db(#[from] sqlx::Error),
    #[error(transparent)]
    #[classify(transparent)]
    Unit(#[from] steadfast::UnitFailure),
}

/// Not exclusive: both replicas run every slot. Nothing is wrong or paid for twice, since a closed trial stays closed.
#[job(name = "billing.close-due-trials", cron = "* * * * *", timeout = "50s")]
pub async fn close_due_trials(slot: Slot, db: &SqlitePool) -> Result<(), TrialError> {
    let due = trials::due_at(db, slot).await?;
    try_join_all(due.into_iter().map(|trial| close_trial(db, trial, slot))).await?;
    Ok(())
}

/// One transaction, replayed as a whole when the database is busy. All of them want the one row of the bill.
#[atomic_unit(retry = hot_row)]
async fn close_trial(tx: &mut Tx<'_>, trial: i64, slot: Slot) -> Result<(), TrialError> {
    if !trials::is_open(tx, trial).await? {
        return Ok(()); // the other replica was faster
    }
    let used = trials::usage(tx, trial).await?;
    trials::close(tx, trial, slot).await?;
    bill::add(tx, used).await
}

mod trials {
    use super::{Slot, SqlitePool, TrialError, Tx};

    /// What is due as of the slot, not "since the last run": a missed slot heals by itself.
    pub(super) async fn due_at(db: &SqlitePool, slot: Slot) -> Result<Vec<i64>, TrialError> {
        let due = sqlx::query_scalar("select id from trials where closed_at is null and ends_at <= $1")
            .bind(slot.unix_seconds())
            .fetch_all(db)
            .await?;
        Ok(due)
    }

    #[steadfast::repository]
    pub(super) async fn is_open(tx: &mut Tx<'_>, trial: i64) -> Result<bool, TrialError> {
        let closed_at: Option<Option<i64>> = sqlx::query_scalar("select closed_at from trials where id = $1")
            .bind(trial)
            .fetch_optional(&mut *tx)
            .await?;
        Ok(closed_at.ok_or(TrialError::Unknown(trial))?.is_none())
    }

    #[steadfast::repository]
    pub(super) async fn usage(tx: &mut Tx<'_>, trial: i64) -> Result<i64, TrialError> {
        let used = sqlx::query_scalar("select coalesce(sum(amount), 0) from usage where trial = $1")
            .bind(trial)
            .fetch_one(&mut *tx)
            .await?;
        Ok(used)
    }

    #[steadfast::repository]
    pub(super) async fn close(tx: &mut Tx<'_>, trial: i64, slot: Slot) -> Result<(), TrialError> {
        sqlx::query("update trials set closed_at = $1 where id = $2")
            .bind(slot.unix_seconds())
            .bind(trial)
            .execute(&mut *tx)
            .await?;
        Ok(())
    }
}

mod bill {
    use super::{TrialError, Tx};

    #[steadfast::repository]
    pub(super) async fn add(tx: &mut Tx<'_>, used: i64) -> Result<(), TrialError> {
        sqlx::query("update bill set total = total + $1").bind(used).execute(&mut *tx).await?;
        Ok(())
    }
}
