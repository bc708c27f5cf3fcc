//! Retries that cannot apply twice and recurring jobs that run once, on the database you already have.
//!
//! Two attributes do most of it.
//!
//! # `#[atomic_unit]`: one transaction, replayed as a whole
//!
//! The function's `tx: &mut Tx<'_>` becomes the pool that callers pass. The body commits on `Ok`, is rolled back on `Err`, and runs
//! again from its first line when the database refused it in a way that the named policy retries.
//!
#![cfg_attr(feature = "sqlite", doc = "```")]
#![cfg_attr(not(feature = "sqlite"), doc = "```ignore")]
//! mod retry {
//!     pub use steadfast::policy::*;                      // `retry = contention` means `crate::retry::contention`
//! }
//!
//! use steadfast::{Classify, UnitFailure, atomic_unit, sqlite::Tx};
//!
//! #[derive(Debug, thiserror::Error, Classify)]
//! enum TransferError {
//!     #[error("account {0} has too little")]
//!     TooLittle(i64),                                    // a domain error: never retried
//!     #[error(transparent)]
//!     #[classify(transparent)]
//!     Db(#[from] sqlx::Error),
//!     #[error(transparent)]
//!     #[classify(transparent)]
//!     Unit(#[from] UnitFailure),
//! }
//!
//! #[atomic_unit(retry = contention)]
//! async fn transfer(tx: &mut Tx<'_>, from: i64, to: i64, amount: i64) -> Result<(), TransferError> {
//!     let taken = sqlx::query("update accounts set balance = balance - $1 where id = $2 and balance >= $1")
//!         .bind(amount).bind(from).execute(&mut *tx).await?;
//!     if taken.rows_affected() == 0 {
//!         return Err(TransferError::TooLittle(from));    // rolls back
//!     }
//!     sqlx::query("update accounts set balance = balance + $1 where id = $2").bind(amount).bind(to).execute(&mut *tx).await?;
//!     Ok(())                                             // commits
//! }
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> anyhow::Result<()> {
//! let db = sqlx::SqlitePool::connect("sqlite::memory:").await?;
//! sqlx::query("create table accounts (id integer primary key, balance integer not null)").execute(&db).await?;
//! sqlx::query("insert into accounts values (1, 100), (2, 0)").execute(&db).await?;
//!
//! transfer(&db, 1, 2, 30).await?;
//! assert!(matches!(transfer(&db, 1, 2, 300).await, Err(TransferError::TooLittle(1))));
//! # let balance: i64 = sqlx::query_scalar("select balance from accounts where id = 2").fetch_one(&db).await?;
//! # assert_eq!(balance, 30);
//! # Ok(())
//! # }
//! ```
//!
//! What would replay committed work does not compile: a pool, a `&mut` or a spawned task inside, a second retry, a policy that retries
//! a lost connection on a unit that does not say why a replay is harmless. What only shows at run time is a typed [`UnitFailure`]: a
//! statement whose failure was ignored, a unit inside a unit, an answer to COMMIT that was lost.
//!
//! # `#[job]`: one slot, run by one replica
//!
//! A job is called with its [`Slot`], the scheduled UTC minute, and with what the application provides. `exclusive` jobs claim their
//! slot in a table of the application's own database.
//!
#![cfg_attr(feature = "sqlite", doc = "```")]
#![cfg_attr(not(feature = "sqlite"), doc = "```ignore")]
//! use sqlx::SqlitePool;
//! use steadfast::{Provide, Slot, SqliteLeases, job, registry};
//!
//! #[job(name = "billing.close-trials", cron = "0 3 * * *", exclusive, timeout = "5m")]
//! async fn close_trials(slot: Slot, db: &SqlitePool) -> sqlx::Result<()> {
//!     // What is due as of the slot, never "since the last run": a missed slot heals with the next one.
//!     sqlx::query("update trials set closed = 1 where ends_at <= $1").bind(slot.unix_seconds()).execute(db).await?;
//!     Ok(())
//! }
//!
//! #[derive(Provide)]
//! struct App {
//!     db: SqlitePool,
//! }
//!
//! registry! { static JOBS for App = [close_trials]; }
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> anyhow::Result<()> {
//! # async fn some_time() {}
//! let db = SqlitePool::connect("sqlite::memory:").await?;
//! let leases = SqliteLeases::new(&db);
//! leases.install().await?;
//! JOBS.with(App { db }).leases(leases).run_until(some_time()).await?;      // `steadfast::shutdown_signal()` in a server
//! # Ok(())
//! # }
//! ```
//!
//! A cron line outside of what every parser reads alike does not compile, nor does one that never fires, an exclusive job without a
//! lease store, or a parameter that the application does not provide.
//!
//! # Where to look
//!
//! [`policies!`] declares retry policies, in `src/retry.rs` alone · [`macro@Classify`] says which of an error's variants a policy may look
//! at · [`provider_call`] is for work that is not a transaction, [`repository`] for functions below a unit · [`schedule`] paces what
//! is repeated, or retried with a fallback · [`macro@poll`] looks for work more often than each minute, [`each`] runs a batch in which one
//! bad item stalls nothing · [`registry!`] and [`macro@Provide`] join jobs and application · [`testing`] runs one slot
//! of one job, and several replicas in virtual time.
//!
//! Features: `sqlite` (default), `postgres`, `mysql`, `sea-orm` (entities of sea-orm 2 in a unit, `tx.orm()`), `anyhow`
//! (`anyhow::Error` as a unit's error), `reqwest` (`steadfast::http`), `tower` (`steadfast::tower`), `worker` (`steadfast::worker`:
//! Cloudflare Workers, with `default-features = false` there).

#![cfg_attr(
    target_family = "wasm",
    allow(dead_code, reason = "a Worker has no loop, and what only the loop uses stands beside the rest")
)]

// The macros name this crate by its name, also when it uses them itself.
#[allow(unused_extern_crates)] // named by expansions only
extern crate self as steadfast;

#[cfg(all(target_family = "wasm", not(feature = "worker")))]
compile_error!(
    "steadfast has a clock on wasm through Cloudflare Workers alone; turn on the feature `worker`, without the others"
);

#[doc(hidden)]
#[path = "private/mod.rs"]
pub mod __private;
pub mod clock;
#[cfg(feature = "worker")]
pub mod d1;
#[cfg(all(feature = "reqwest", not(target_family = "wasm")))]
pub mod http;
pub mod jobs;
pub mod platform;
mod redact;
pub mod retry;
pub mod schedule;
pub mod schema;
#[cfg(feature = "_database")]
mod sql;
mod telemetry;
pub mod testing;
#[cfg(all(feature = "tower", not(target_family = "wasm")))]
pub mod tower;
#[cfg(feature = "_unit")]
pub mod unit;
#[cfg(feature = "worker")]
pub mod worker;

pub use clock::JobClock;
#[cfg(feature = "mysql")]
pub use jobs::MySqlLeases;
#[cfg(feature = "postgres")]
pub use jobs::PostgresLeases;
#[cfg(feature = "sqlite")]
pub use jobs::SqliteLeases;
#[cfg(not(target_family = "wasm"))]
pub use jobs::shutdown_signal;
pub use jobs::{Cron, Each, Job, Jobs, LeaseStore, Provide, Registry, RunOutcome, Slot, Tick, each};
pub use retry::{Classify, Failure, Kind, Outcome, Phase, Retrying, Stopped, UnitFailure, remaining, within};
pub use steadfast_macros::{Classify, Provide, atomic_unit, job, policies, poll, provider_call, registry, repository};
#[cfg(feature = "_database")]
pub use unit::Receipts;

/// Policies that ship ready made.
///
/// A first program's `src/retry.rs` is one line: `pub use steadfast::policy::*;`.
pub mod policy {
    pub use crate::retry::{contention, transient};
}

/// Work that something durable tries again: a row with a count of attempts, a queue that delivers again.
pub mod durable {
    pub use crate::retry::durable::{Delay, Durable, scope};
}

/// Atomic units and leases on SQLite.
#[cfg(feature = "sqlite")]
pub mod sqlite {
    pub use crate::jobs::SqliteLeases;

    /// The lease of an exclusive job's run. See [`jobs::Lease`](crate::jobs::Lease).
    pub type Lease = crate::jobs::Lease<sqlx::Sqlite>;

    /// The transaction of an atomic unit on SQLite. See [`unit::Tx`](crate::unit::Tx).
    pub type Tx<'t> = crate::unit::Tx<'t, sqlx::Sqlite>;

    /// The transaction of an atomic unit on SQLite, for sea-orm. See [`unit::Orm`](crate::unit::Orm).
    #[cfg(feature = "sea-orm")]
    pub type Orm<'t> = crate::unit::Orm<'t, sqlx::Sqlite>;
}

/// Atomic units and leases on MySQL and MariaDB.
///
/// The server commits on its own before and after statements such as `CREATE` and `ALTER`: in a unit they are refused, but for
/// `CREATE TEMPORARY TABLE` and `DROP TEMPORARY TABLE`. A stored procedure that commits is not seen.
///
/// A named `isolation` is set by a statement of its own, sent in one text with the one that begins the unit. After
/// `attempt_timeout` the connection is closed; the server goes on with the statement until it notices, so set
/// `max_statement_time` (MariaDB) or `max_execution_time` (MySQL) on the pool's connections if long statements must end there.
#[cfg(feature = "mysql")]
pub mod mysql {
    pub use crate::jobs::MySqlLeases;

    /// The lease of an exclusive job's run. See [`jobs::Lease`](crate::jobs::Lease).
    pub type Lease = crate::jobs::Lease<sqlx::MySql>;

    /// The transaction of an atomic unit on MySQL or MariaDB. See [`unit::Tx`](crate::unit::Tx).
    pub type Tx<'t> = crate::unit::Tx<'t, sqlx::MySql>;

    /// The transaction of an atomic unit on MySQL or MariaDB, for sea-orm. See [`unit::Orm`](crate::unit::Orm).
    #[cfg(feature = "sea-orm")]
    pub type Orm<'t> = crate::unit::Orm<'t, sqlx::MySql>;
}

/// Atomic units and leases on PostgreSQL.
#[cfg(feature = "postgres")]
pub mod postgres {
    pub use crate::jobs::PostgresLeases;

    /// The lease of an exclusive job's run. See [`jobs::Lease`](crate::jobs::Lease).
    pub type Lease = crate::jobs::Lease<sqlx::Postgres>;

    /// The transaction of an atomic unit on PostgreSQL. See [`unit::Tx`](crate::unit::Tx).
    pub type Tx<'t> = crate::unit::Tx<'t, sqlx::Postgres>;

    /// The transaction of an atomic unit on PostgreSQL, for sea-orm. See [`unit::Orm`](crate::unit::Orm).
    #[cfg(feature = "sea-orm")]
    pub type Orm<'t> = crate::unit::Orm<'t, sqlx::Postgres>;
}
