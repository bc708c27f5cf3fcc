//! Declarations that `macro_rules!` writes.

use sqlx::SqlitePool;
use steadfast::{Provide, Slot, atomic_unit, job, provider_call, registry, sqlite::Tx};
use steadfast_tests::shop::BillingError;

use crate::wall::{close, closed, shop};

macro_rules! unit {
    ($name:ident, $policy:path, $tx:ty, $trial:ident, $body:block) => {
        #[atomic_unit(retry = $policy)]
        async fn $name(tx: $tx, $trial: i64) -> Result<(), BillingError> {
            close(tx, $trial).await?;
            $body
        }
    };
}

unit!(by_type, steadfast::policy::contention, &mut Tx<'_>, trial, { Ok(()) });
unit!(by_value_of_the_caller, crate::retry::patient, &mut Tx<'_>, result, {
    if result > 0 { Ok(()) } else { Err(BillingError::Unknown(result)) }
});

/// The policy, the key and its value come from outside.
macro_rules! unit_with {
    ($name:ident, $($key:tt)*) => {
        #[atomic_unit($($key)*)]
        async fn $name(tx: &mut Tx<'_>, trial: i64) -> Result<(), BillingError> {
            close(tx, trial).await
        }
    };
}

unit_with!(by_keys, retry = transient, idempotent = client_id(trial));

macro_rules! call {
    ($name:ident -> $result:ty) => {
        #[provider_call(retry = limited)]
        async fn $name(cents: $result) -> Result<$result, BillingError> {
            Ok(cents)
        }
    };
}

call!(charge -> u64);

macro_rules! job {
    ($name:ident, $cron:literal, $key:literal, $db:ty) => {
        #[job(cron = $cron, timeout = "1m", name = $key)]
        async fn $name(_slot: Slot, db: $db) -> Result<(), BillingError> {
            by_type(db, 1).await
        }
    };
}

job!(first, "0 3 * * *", "generated.first", &SqlitePool);
job!(second, "0 4 * * MON", "generated.second", &SqlitePool);

macro_rules! application {
    ($app:ident, $jobs:ident, [$($job:path),*]) => {
        #[derive(Provide)]
        struct $app {
            db: SqlitePool,
        }
        registry! { static $jobs for $app = [$($job),*]; }
    };
}

application!(App, JOBS, [first, self::second]);

#[tokio::test]
async fn generated_declarations_are_declarations() {
    let shop = shop().await;
    let db = shop.pool();
    by_type(db, 1).await.unwrap();
    by_value_of_the_caller(db, 2).await.unwrap();
    by_keys(db, 3).await.unwrap();
    assert_eq!(charge(3).await.unwrap(), 3);
    assert_eq!(closed(&shop).await, 3);
    assert_eq!(JOBS.iter().map(|job| job.name).collect::<Vec<_>>(), ["generated.first", "generated.second"]);
    let jobs = JOBS.with(App { db: db.clone() });
    let slot = Slot::floor(std::time::UNIX_EPOCH);
    assert!(steadfast::testing::run(&jobs, "generated.second", slot).await.unwrap().is_completed());
}
