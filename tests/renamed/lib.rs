//! Every macro in a crate that reaches steadfast by another name, and through a macro of somebody else's.

use kit::{Classify, Provide, Slot, atomic_unit, job, poll, provider_call, registry, repository, sqlite::Tx};

/// The policies of this crate.
pub mod retry {
    kit::policies! {
        crate = ::kit;
        /// The database rolled it back.
        pub policy contention = capped(base = "50ms", cap = "200ms", retries = 3).on(contention).gate();
        /// The provider did nothing.
        pub policy limited = capped(base = "50ms", cap = "200ms", retries = 3).on(rate_limited).budget(ratio = 0.1);
        /// The delays of a row.
        pub policy relay = durable(base = "1s", cap = "1h", attempts = 20);
        /// A pace.
        pub schedule tick = exponential(base = "1s", cap = "2s").up_to(3);
    }
}

/// What can go wrong.
#[derive(Debug, thiserror::Error, Classify)]
#[classify(crate = ::kit)]
pub enum TrialError {
    /// Not now.
    #[error("later")]
    #[classify(rate_limited, retry_after = 0)]
    Later(Option<std::time::Duration>),
    /// The database's.
    #[error(transparent)]
    #[classify(transparent)]
    Db(#[from] sqlx::Error),
    /// The runtime's.
    #[error(transparent)]
    #[classify(transparent)]
    Unit(#[from] kit::UnitFailure),
}

/// Runs in somebody's transaction.
///
/// # Errors
/// When the database refuses it.
#[repository]
pub async fn below(tx: &mut Tx<'_>, trial: i64) -> Result<(), TrialError> {
    sqlx::query("insert into trials values ($1)").bind(trial).execute(&mut *tx).await?;
    Ok(())
}

/// A unit.
///
/// # Errors
/// When the database refuses it.
#[atomic_unit(retry = contention, idempotent = client_id(trial), attempt_timeout = "5s", crate = ::kit)]
pub async fn insert(tx: &mut Tx<'_>, trial: i64) -> Result<(), TrialError> {
    below(tx, trial).await
}

/// A call.
///
/// # Errors
/// Never.
#[provider_call(retry = limited, crate = ::kit)]
pub async fn charge(cents: u64) -> Result<u64, TrialError> {
    Ok(std::future::ready(cents).await)
}

/// A job.
///
/// # Errors
/// When the database refuses it.
#[job(cron = "0 3 * * *", exclusive, timeout = "1m", name = "renamed.nightly", crate = ::kit)]
pub async fn nightly(slot: Slot, db: &sqlx::SqlitePool) -> Result<(), TrialError> {
    insert(db, slot.unix_seconds()).await
}

/// A poll.
///
/// # Errors
/// When the database refuses it.
#[poll(every = "1s", timeout = "30s", name = "renamed.relay", crate = ::kit)]
pub async fn relay(db: &sqlx::SqlitePool) -> Result<kit::Tick, TrialError> {
    insert(db, 7).await?;
    Ok(kit::Tick::Idle)
}

/// The application.
#[derive(Debug, Provide)]
#[provide(crate = ::kit)]
pub struct App {
    /// The pool.
    pub db: sqlx::SqlitePool,
}

registry! {
    crate = ::kit;
    /// Its jobs.
    pub static JOBS for App = [nightly, relay];
}

/// As a crate that re-exports steadfast to the callers of its macros.
#[doc(hidden)]
pub mod reexport {
    pub use kit as steadfast;
}

/// Declares a unit for whoever calls it.
#[macro_export]
macro_rules! unit {
    ($name:ident) => {
        /// Written by a macro.
        #[$crate::reexport::steadfast::atomic_unit(
                                                                                    retry = $crate::retry::contention,
                                                                                    crate = $crate::reexport::steadfast
                                                                                )]
        pub(crate) async fn $name(
            tx: &mut $crate::reexport::steadfast::sqlite::Tx<'_>,
            trial: i64,
        ) -> Result<(), $crate::TrialError> {
            $crate::below(tx, trial).await
        }
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    mod elsewhere {
        crate::unit!(insert_for_others);
    }

    #[tokio::test]
    async fn every_macro_works_under_another_name() {
        // A database in memory is that of its connection.
        let db = sqlx::sqlite::SqlitePoolOptions::new().max_connections(1).connect("sqlite::memory:").await.unwrap();
        sqlx::query("create table trials (id integer primary key)").execute(&db).await.unwrap();
        insert(&db, 1).await.unwrap();
        elsewhere::insert_for_others(&db, 2).await.unwrap();
        assert_eq!(charge(3).await.unwrap(), 3);
        let leases = kit::SqliteLeases::new(&db);
        leases.install().await.unwrap();
        let jobs = JOBS.with(App { db: db.clone() }).leases(leases);
        let slot = Slot::floor(std::time::UNIX_EPOCH);
        let ended = kit::testing::run(&jobs, "renamed.nightly", slot).await.unwrap();
        assert!(ended.is_completed(), "{ended:?}");
        let rows: i64 = sqlx::query_scalar("select count(*) from trials").fetch_one(&db).await.unwrap();
        assert_eq!(rows, 3);
    }
}
