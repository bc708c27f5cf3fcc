//! No prelude at all.
#![no_implicit_prelude]

use ::steadfast::{
    Classify, Provide, Slot, UnitFailure, atomic_unit, job, provider_call, registry, repository, sqlite::Tx,
};

#[derive(::std::fmt::Debug, ::thiserror::Error, Classify)]
pub(super) enum TrialError {
    #[error("later")]
    #[classify(rate_limited, retry_after = 0)]
    Later(::std::option::Option<::std::time::Duration>),
    #[error(transparent)]
    #[classify(transparent)]
    Db(#[from] ::sqlx::Error),
    #[error(transparent)]
    #[classify(transparent)]
    Unit(#[from] UnitFailure),
}

pub(super) type Result<T> = ::std::result::Result<T, TrialError>;

#[repository]
async fn below(tx: &mut Tx<'_>, trial: i64) -> Result<()> {
    let sql = "update trials set closed = 1 where id = $1";
    ::sqlx::query(sql).bind(trial).execute(&mut *tx).await?;
    ::std::result::Result::Ok(())
}

#[atomic_unit(retry = contention)]
pub(super) async fn closes(tx: &mut Tx<'_>, trial: i64, note: ::std::string::String) -> Result<()> {
    ::std::mem::drop(note);
    below(tx, trial).await
}

#[provider_call(retry = provider, idempotent = client_id(key))]
pub(super) async fn charge(key: &str) -> Result<usize> {
    if key.is_empty() {
        return ::std::result::Result::Err(TrialError::Later(::std::option::Option::None));
    }
    ::std::result::Result::Ok(key.len())
}

#[job(cron = "0 3 * * *", exclusive, timeout = "1m")]
pub(super) async fn nightly(_slot: Slot, db: &::sqlx::SqlitePool) -> Result<()> {
    closes(db, 1, ::std::string::String::new()).await
}

#[job(cron = "0 4 * * *", timeout = "1m")]
#[atomic_unit(retry = contention)]
pub(super) async fn nightly_unit(_slot: Slot, tx: &mut Tx<'_>) -> Result<()> {
    below(tx, 2).await
}

#[derive(Provide)]
pub(super) struct App {
    pub(super) db: ::sqlx::SqlitePool,
}

registry! { pub(super) static JOBS for App = [nightly, nightly_unit]; }
