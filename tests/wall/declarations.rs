//! What every declaration may be.

use steadfast::{Classify, Provide, Slot, atomic_unit, job, jobs::JobMeta, sqlite::Tx};
use steadfast_tests::shop::BillingError;

use super::{close, closed, shop};

/// As a crate that hands steadfast on; a crate that knows it by another name alone is in `tests/renamed`.
mod kit {
    pub(super) use ::steadfast as rt;

    macro_rules! unit {
        ($name:ident) => {
            #[atomic_unit(retry = contention, crate = $crate::wall::declarations::kit::rt)]
            async fn $name(tx: &mut Tx<'_>, trial: i64) -> Result<(), TrialError> {
                Ok(close(tx, trial).await?)
            }
        };
    }
    pub(super) use unit;
}

// twin of: declaration_crate
#[derive(Debug, thiserror::Error, Classify)]
#[classify(crate = crate::wall::declarations::kit::rt)]
enum TrialError {
    #[error(transparent)]
    #[classify(transparent)]
    Billing(#[from] BillingError),
    #[error(transparent)]
    #[classify(transparent)]
    Unit(#[from] steadfast::UnitFailure),
}

kit::unit!(closes);

#[derive(Provide)]
#[provide(crate = ::steadfast)]
struct App {
    db: sqlx::SqlitePool,
}

// twin of: declaration_too_long
#[job(
    cron = "0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47,48,49,50,51,52,53,54,55,56,57,58,59 3 * * *",
    timeout = "30s",
    name = "declarations.as-long-as-any-name-may-be-012345678901234567890123",
    crate = crate::wall::declarations::kit::rt
)]
async fn long(_slot: Slot, db: &sqlx::SqlitePool) -> Result<(), TrialError> {
    closes(db, 1).await
}

kit::rt::registry! {
    crate = crate::wall::declarations::kit::rt;
    static JOBS for App = [long];
}

#[tokio::test]
async fn declarations_may_be_long_and_reach_steadfast_by_another_path() {
    let shop = shop().await;
    let name = <long as JobMeta>::META.name;
    assert_eq!(name.len(), 64);
    let jobs = JOBS.with(App { db: shop.pool().clone() });
    let outcome = steadfast::testing::run(&jobs, name, Slot::floor(std::time::UNIX_EPOCH)).await.unwrap();
    assert!(outcome.is_completed(), "{outcome:?}");
    assert_eq!(closed(&shop).await, 1);
}
