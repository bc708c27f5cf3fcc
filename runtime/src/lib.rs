//! Retries that cannot apply twice and recurring jobs that run once.

// The macros name this crate by its name, also when it uses them itself.
#[allow(unused_extern_crates)] // named by expansions only
extern crate self as steadfast;

#[doc(hidden)]
#[path = "private.rs"]
pub mod __private;
pub mod clock;
pub mod retry;
mod telemetry;
#[cfg(any(feature = "sqlite", feature = "postgres"))]
pub mod unit;

pub use retry::{Classify, Failure, Kind, Outcome, Phase, UnitFailure};

/// Policies that ship ready made.
///
/// A first program's `src/retry.rs` is one line: `pub use steadfast::policy::*;`.
pub mod policy {
    pub use crate::retry::{contention, transient};
}

/// Atomic units on SQLite.
#[cfg(feature = "sqlite")]
pub mod sqlite {
    /// The transaction of an atomic unit on SQLite. See [`unit::Tx`](crate::unit::Tx).
    pub type Tx<'t> = crate::unit::Tx<'t, sqlx::Sqlite>;
}

/// Atomic units on PostgreSQL.
#[cfg(feature = "postgres")]
pub mod postgres {
    /// The transaction of an atomic unit on PostgreSQL. See [`unit::Tx`](crate::unit::Tx).
    pub type Tx<'t> = crate::unit::Tx<'t, sqlx::Postgres>;
}
