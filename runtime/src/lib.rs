//! Retries that cannot apply twice and recurring jobs that run once.

pub mod clock;
pub mod jobs;
mod redact;
pub mod testing;

pub use clock::JobClock;
#[cfg(feature = "postgres")]
pub use jobs::PostgresLeases;
#[cfg(feature = "sqlite")]
pub use jobs::SqliteLeases;
pub use jobs::{Cron, Job, Jobs, LeaseStore, Provide, Registry, RunOutcome, Slot, schema, shutdown_signal};

#[doc(hidden)]
pub mod __private {
    pub use crate::jobs::private::*;
}
