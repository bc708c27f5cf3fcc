//! docs/rules.md#wrap-exactly-the-unit: a pool, whose statements commit by themselves.

#![allow(unused)]

use steadfast::{atomic_unit, sqlite::Tx};
use steadfast_tests::shop::BillingError;

mod retry {
    pub use steadfast::policy::*;
}

#[atomic_unit(retry = contention)]
async fn close_trial(tx: &mut Tx<'_>, db: &sqlx::SqlitePool) -> Result<(), BillingError> {
    Ok(())
}

#[atomic_unit(retry = contention)]
async fn open_trial(tx: &mut Tx<'_>, db: std::sync::Arc<sqlx::PgPool>) -> Result<(), BillingError> {
    Ok(())
}

#[atomic_unit(retry = contention)]
async fn delete_trial(tx: &mut Tx<'_>, db: &sea_orm::DatabaseConnection) -> Result<(), BillingError> {
    Ok(())
}

#[atomic_unit(retry = contention)]
async fn rename_trial<'e, E: sqlx::SqliteExecutor<'e> + Clone>(tx: &mut Tx<'_>, db: E) -> Result<(), BillingError> {
    Ok(())
}

#[atomic_unit(retry = contention)]
async fn count_trials(tx: &mut Tx<'_>, db: &impl sea_orm::ConnectionTrait) -> Result<(), BillingError> {
    Ok(())
}

#[atomic_unit(retry = contention)]
async fn move_trials(tx: &mut Tx<'_>, shards: &[sqlx::SqlitePool], (_, db): (u8, sqlx::SqlitePool)) -> Result<(), BillingError> {
    Ok(())
}

#[atomic_unit(retry = contention)]
async fn batch_trials(tx: &mut steadfast::d1::Tx<'_>, db: &worker::D1Database) -> Result<(), BillingError> {
    Ok(())
}

struct Trials {
    db: sqlx::SqlitePool,
}

impl Trials {
    #[atomic_unit(retry = contention, pool = self.db)]
    async fn note(&self, tx: &mut Tx<'_>) -> Result<(), BillingError> {
        sqlx::query("insert into notes default values").execute(&self.db).await?;
        Ok(())
    }
}

fn main() {}
