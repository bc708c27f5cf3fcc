//! A fenced unit that leaves a row.

use steadfast::{Classify, UnitFailure, atomic_unit};

use super::engine::{Lease, Tx, sql};

#[derive(Debug, thiserror::Error, Classify)]
pub(super) enum Error {
    #[error(transparent)]
    #[classify(transparent)]
    Db(#[from] sqlx::Error),
    #[error(transparent)]
    #[classify(transparent)]
    Unit(#[from] UnitFailure),
}

#[atomic_unit(retry = never, fence = lease)]
pub(super) async fn write(tx: &mut Tx<'_>, lease: &Lease) -> Result<(), Error> {
    sqlx::query(sql("insert into notes values ($1)")).bind(lease.slot().unix_seconds()).execute(&mut *tx).await?;
    Ok(())
}
