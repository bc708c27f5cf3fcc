//! The names of the prelude are taken by others.

use steadfast::{Classify, Provide, Slot, atomic_unit, job, provider_call, registry, repository, sqlite::Tx};
use steadfast_tests::shop::BillingError;

/// None of these is what an expansion may mean.
mod others {
    #![allow(dead_code, non_snake_case, clippy::unnecessary_wraps)]

    pub(super) type Result<T> = std::result::Result<T, super::BillingError>;
    pub(super) struct Option;
    pub(super) struct Some;
    pub(super) struct None;
    pub(super) struct Box;
    pub(super) struct Duration;
    pub(super) trait Future {}
    pub(super) trait Send {}
    pub(super) trait Sync {}
    pub(super) trait Clone {}
    pub(super) trait Into {}
    pub(super) trait From {}
    pub(super) fn Ok<T>(value: T) -> Result<T> {
        std::result::Result::Ok(value)
    }
    pub(super) fn Err(trial: i64) -> Result<()> {
        std::result::Result::Err(super::BillingError::Unknown(trial))
    }
    pub(super) mod core {}
    pub(super) mod std_ {}
}

#[allow(unused_imports)]
use others::{
    Box, Clone, Duration, Err, From, Future, Into, None, Ok, Option, Result, Send, Some, Sync, core, std_ as std,
};

#[derive(Debug, thiserror::Error, Classify)]
enum TrialError {
    #[error(transparent)]
    #[classify(transparent)]
    Billing(#[from] BillingError),
    #[error("later")]
    #[classify(rate_limited, retry_after = wait)]
    Later { wait: ::core::option::Option<::core::time::Duration> },
    #[error(transparent)]
    #[classify(transparent)]
    Unit(#[from] steadfast::UnitFailure),
}

#[atomic_unit(retry = contention, idempotent = client_id(trial))]
async fn closes(tx: &mut Tx<'_>, trial: i64) -> Result<()> {
    crate::wall::close(tx, trial).await?;
    Ok(())
}

#[atomic_unit(retry = contention)]
async fn refuses(tx: &mut Tx<'_>, trial: i64) -> Result<()> {
    let _ = tx;
    Err(trial)
}

#[provider_call(retry = limited)]
async fn charge(cents: u64) -> ::core::result::Result<u64, TrialError> {
    if cents == 0 {
        return ::core::result::Result::Err(TrialError::Later { wait: ::core::option::Option::None });
    }
    ::core::result::Result::Ok(cents)
}

#[repository]
async fn below(tx: &mut Tx<'_>, trial: i64) -> Result<()> {
    crate::wall::close(tx, trial).await
}

#[job(cron = "0 3 * * *", exclusive, timeout = "1m")]
async fn nightly(_slot: Slot, db: &sqlx::SqlitePool) -> Result<()> {
    closes(db, 1).await
}

#[derive(Provide)]
struct App {
    db: sqlx::SqlitePool,
}

registry! { static JOBS for App = [nightly]; }

#[tokio::test]
async fn expansions_mean_the_prelude() {
    let shop = crate::wall::shop().await;
    closes(shop.pool(), 1).await.unwrap();
    refuses(shop.pool(), 1).await.unwrap_err();
    assert_eq!(charge(3).await.unwrap(), 3);
    charge(0).await.unwrap_err();
    assert_eq!(JOBS.iter().count(), 1);
    let _ = below;
}
