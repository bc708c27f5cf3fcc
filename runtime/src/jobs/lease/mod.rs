//! The lease of an exclusive job: who runs a slot, agreed on through one row of one table.
//!
//! [`protocol`] decides, the stores beside it ask their database to decide the same in one statement. The rules and
//! where they come from: `docs/rules.md#one-statement-claims-a-slot`.

mod attempts;
#[cfg(any(feature = "sqlite", feature = "postgres", feature = "worker"))]
mod claim_text;
#[cfg(feature = "worker")]
mod d1;
#[cfg(feature = "_database")]
mod database;
mod error;
#[cfg(feature = "_database")]
mod handle;
mod heartbeat;
mod held;
#[cfg(feature = "mysql")]
mod mysql;
#[cfg(feature = "_database")]
mod pool;
#[cfg(feature = "postgres")]
mod postgres;
pub(crate) mod protocol;
#[cfg(feature = "_database")]
mod row;
mod run_id;
mod seen;
#[cfg(feature = "_database")]
mod sql;
#[cfg(feature = "sqlite")]
mod sqlite;
mod store;
#[cfg(feature = "_unit")]
mod text;
#[cfg(any(feature = "sqlite", feature = "postgres"))]
mod upsert;

pub(crate) use attempts::{claim, hand_back, release};
#[cfg(feature = "worker")]
pub use d1::D1Leases;
#[cfg(feature = "_database")]
pub use database::DatabaseLeases;
#[cfg(feature = "_database")]
pub(crate) use database::LeaseEngine;
pub use error::{LeaseError, LeaseErrorKind};
#[cfg(feature = "_database")]
pub use handle::{Lease, LeaseOfRun};
pub(crate) use heartbeat::renewed_until_lost;
pub(crate) use held::Held;
#[cfg(feature = "mysql")]
pub use mysql::MySqlLeases;
#[cfg(feature = "postgres")]
pub use postgres::PostgresLeases;
pub use protocol::LostCause;
pub use run_id::RunId;
#[cfg(feature = "_database")]
pub(crate) use seen::time;
pub use seen::{LeaseRow, Paused};
#[cfg(feature = "_database")]
pub(crate) use sql::Value;
#[cfg(feature = "sqlite")]
pub use sqlite::SqliteLeases;
pub(crate) use store::millis;
pub use store::{Claim, Claimed, LeaseStore};

use std::time::Duration;

/// How much longer the lease is than the job's timeout: 1 minute, fixed.
///
/// A holder stops at its timeout; the rest covers what the stop takes and twice the tolerated difference of clocks
/// (`docs/rules.md#the-databases-clock-is-the-judge`).
pub const LEASE_MARGIN: Duration = Duration::from_mins(1);

/// The lease of a job with a heartbeat: 3 minutes, fixed.
pub(crate) const HEARTBEAT_LEASE: Duration = Duration::from_mins(3);
/// How often it is renewed.
pub(crate) const HEARTBEAT: Duration = Duration::from_mins(1);
/// How long it may go unrenewed before the run is dropped: a minute before the lease ends, as with a timeout.
pub(crate) const HEARTBEAT_PATIENCE: Duration = Duration::from_mins(2);

/// The longest a clock may go back and still be believed, in minutes; the same measure as for a last slot.
pub(crate) const LIE_MINUTES: i64 = protocol::LIE / 60_000;
