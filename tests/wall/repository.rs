//! `#[repository]`

use std::time::Duration;

use sea_orm::{ConnectionTrait, DbErr};
use sqlx::SqliteExecutor;
use steadfast::{atomic_unit, repository, sqlite::Tx};
use steadfast_tests::shop::BillingError;

use crate::units::members;

struct Trials;

// twin of: repository_pool
#[repository]
impl Trials {
    async fn close(&self, tx: &mut Tx<'_>, trial: i64) -> Result<(), BillingError> {
        super::close(tx, trial).await
    }

    async fn count(&self, db: impl SqliteExecutor<'_>) -> Result<i64, BillingError> {
        Ok(sqlx::query_scalar("select count(*) from trials").fetch_one(db).await?)
    }

    async fn rename(&self, db: &impl ConnectionTrait) -> Result<u64, DbErr> {
        Ok(db.execute_unprepared("update trials set note = 'renamed'").await?.rows_affected())
    }

    async fn rename_in_a_unit(&self, db: &steadfast::sqlite::Orm<'_>) -> Result<u64, DbErr> {
        self.rename(db).await
    }
}

#[atomic_unit(retry = contention)]
async fn rename(tx: &mut Tx<'_>) -> Result<u64, members::Error> {
    Ok(Trials.rename_in_a_unit(&tx.orm()).await?)
}

// twin of: repository_unit
#[atomic_unit(retry = contention)]
async fn close_and_count(tx: &mut Tx<'_>, trial: i64) -> Result<i64, BillingError> {
    Trials.close(tx, trial).await?;
    Trials.count(&mut *tx).await
}

struct Bell;

impl Bell {
    fn retry(&self, times: u32) -> u32 {
        times
    }
}

// twin of: repository_retry, repository_ticker
#[repository(allow(retry, sleep))]
async fn own_words(tx: &mut Tx<'_>, trial: i64) -> Result<u32, BillingError> {
    for _ in 0..2 {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    tokio::time::interval(Duration::from_millis(1)).tick().await;
    super::close(tx, trial).await?;
    Ok(Bell.retry(2))
}

#[atomic_unit(retry = contention)]
async fn close_in_own_words(tx: &mut Tx<'_>, trial: i64) -> Result<u32, BillingError> {
    own_words(tx, trial).await
}

#[tokio::test]
async fn a_repository_runs_inside_of_its_callers_transaction() {
    let shop = super::shop().await;
    assert_eq!(close_and_count(shop.pool(), 1).await.unwrap(), 3);
    assert_eq!(close_in_own_words(shop.pool(), 2).await.unwrap(), 2);
    assert_eq!(Trials.count(shop.pool()).await.unwrap(), 3);
    assert_eq!(super::closed(&shop).await, 2);
    assert_eq!(rename(shop.pool()).await.unwrap(), 3);
}
