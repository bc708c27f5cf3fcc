//! Retries that cannot apply twice and recurring jobs that run once.

// The macros name this crate by its name, also when it uses them itself.
#[allow(unused_extern_crates)] // named by expansions only
extern crate self as steadfast;

#[doc(hidden)]
#[path = "private.rs"]
pub mod __private;
pub mod clock;
pub mod jobs;
mod redact;
pub mod retry;
mod telemetry;
pub mod testing;
#[cfg(any(feature = "sqlite", feature = "postgres"))]
pub mod unit;

pub use clock::JobClock;
#[cfg(feature = "postgres")]
pub use jobs::PostgresLeases;
#[cfg(feature = "sqlite")]
pub use jobs::SqliteLeases;
pub use jobs::{Cron, Job, Jobs, LeaseStore, Provide, Registry, RunOutcome, Slot, schema, shutdown_signal};
pub use retry::{Classify, Failure, Kind, Outcome, Phase, UnitFailure};
pub use steadfast_macros::{Classify, Provide, atomic_unit, job, policies, provider_call, registry, repository};

/// Policies that ship ready made.
///
/// A first program's `src/retry.rs` is one line: `pub use steadfast::policy::*;`.
pub mod policy {
    pub use crate::retry::{contention, transient};
}

/// Atomic units and leases on SQLite.
#[cfg(feature = "sqlite")]
pub mod sqlite {
    pub use crate::jobs::SqliteLeases;

    /// The transaction of an atomic unit on SQLite. See [`unit::Tx`](crate::unit::Tx).
    pub type Tx<'t> = crate::unit::Tx<'t, sqlx::Sqlite>;
}

/// Atomic units and leases on PostgreSQL.
#[cfg(feature = "postgres")]
pub mod postgres {
    pub use crate::jobs::PostgresLeases;

    /// The transaction of an atomic unit on PostgreSQL. See [`unit::Tx`](crate::unit::Tx).
    pub type Tx<'t> = crate::unit::Tx<'t, sqlx::Postgres>;
}
