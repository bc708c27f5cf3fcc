//! Units whose error type is erased: the suite that every engine passes.

use std::error::Error as StdError;

use anyhow::Context as _;
use steadfast::{Outcome, UnitFailure, atomic_unit};

use super::engine::{self, Database, Tx, engine_test};
use crate::engines::Runs;

type Erased = Box<dyn StdError + Send + Sync>;

#[derive(Debug, thiserror::Error)]
#[error("the ledger cannot be written")]
struct Ledger(#[source] sqlx::Error);

#[atomic_unit(retry = transient, idempotent = set_state)]
async fn boxed(tx: &mut Tx<'_>, runs: &Runs) -> Result<(), Erased> {
    if runs.count() <= 2 {
        return Err(Ledger(sqlx::Error::WorkerCrashed).into());
    }
    sqlx::query("select 1").execute(&mut *tx).await?;
    Ok(())
}

#[atomic_unit(retry = transient, idempotent = set_state)]
async fn with_context(tx: &mut Tx<'_>, runs: &Runs) -> anyhow::Result<()> {
    if runs.count() <= 2 {
        return Err(Ledger(sqlx::Error::WorkerCrashed)).context("while closing the books");
    }
    sqlx::query("select 1").execute(&mut *tx).await.context("asking")?;
    Ok(())
}

#[atomic_unit(retry = transient, idempotent = set_state)]
async fn says_no(tx: &mut Tx<'_>, runs: &Runs) -> anyhow::Result<()> {
    runs.count();
    sqlx::query("select 1").execute(&mut *tx).await?;
    anyhow::bail!("the cart is empty")
}

#[atomic_unit(retry = contention)]
async fn swallow(tx: &mut Tx<'_>) -> anyhow::Result<()> {
    let _ = sqlx::query("select nothing from nowhere").execute(&mut *tx).await;
    Ok(())
}

engine_test! {
    /// A wrapped error is found along its sources; a domain error is none.
    async fn an_erased_error_is_classified_by_its_sources() {
        let database = Database::create().await;
        let pool = database.pool();
        boxed(pool, &Runs::default()).await.unwrap();
        with_context(pool, &Runs::default()).await.unwrap();
        let runs = Runs::default();
        says_no(pool, &runs).await.unwrap_err();
        assert_eq!(runs.total(), 1);
        let error = swallow(pool).await.unwrap_err();
        let failure = error.downcast_ref::<UnitFailure>().expect("the runtime's failure");
        assert_eq!(failure.outcome(), Outcome::NotApplied);
        assert_eq!(engine::inside_transaction(pool).await, 0);
    }
}
