//! Recurring jobs: a slot at a time, an exclusive one on one replica.
//!
//! `#[job]` makes a job, `#[poll]` a poll, `registry!` lists those of an application, [`Registry::with`] adds the application and
//! [`Jobs::run_until`] runs them. The rules behind it are in `docs/rules.md`.
//!
//! ```
//! use std::convert::Infallible;
//! use steadfast::{Provide, Slot, job, registry};
//!
//! pub struct Greeter(&'static str);
//!
//! #[job(cron = "0 3 * * MON-FRI", timeout = "5m", name = "greetings.weekdays")]
//! async fn greet(slot: Slot, greeter: &Greeter) -> Result<(), Infallible> {
//!     println!("{} {slot}", greeter.0);
//!     Ok(())
//! }
//!
//! #[derive(Provide)]
//! struct App { greeter: Greeter }
//!
//! registry! { static JOBS for App = [greet]; }
//!
//! # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
//! let jobs = JOBS.with(App { greeter: Greeter("good morning,") });
//! jobs.run_until(async { /* `steadfast::shutdown_signal()` in a program */ }).await?;
//! # Ok::<(), steadfast::jobs::StartError>(()) }).unwrap();
//! ```

mod application;
mod civil;
mod contained;
mod cron;
mod each;
mod fire;
mod fire_cron;
mod history;
mod job;
mod lease;
mod name;
mod outcome;
mod pause;
mod poll;
pub(crate) mod private;
mod ready;
mod registry;
mod run;
#[cfg(not(target_family = "wasm"))]
mod runner;
pub(crate) mod shutdown;
mod slot;
mod state;
mod telemetry;
mod trigger;

pub use application::Jobs;
pub use cron::Cron;
pub use each::{Each, Items, each};
pub use fire::UnknownJob;
pub use fire_cron::{Fired, UnknownCron};
#[cfg(feature = "_database")]
pub use history::{RunHistory, RunRecord};
#[doc(hidden)]
pub use job::{IntoJobError, ended, failed};
pub use job::{Job, JobError, JobMeta, LeaseMode, Meta, Provide, Run};
#[cfg(feature = "worker")]
pub use lease::D1Leases;
#[cfg(feature = "_database")]
pub use lease::DatabaseLeases;
#[cfg(feature = "_database")]
pub use lease::Lease;
#[cfg(feature = "_database")]
#[doc(hidden)]
pub use lease::LeaseOfRun;
#[cfg(feature = "mysql")]
pub use lease::MySqlLeases;
#[cfg(feature = "postgres")]
pub use lease::PostgresLeases;
#[cfg(feature = "sqlite")]
pub use lease::SqliteLeases;
pub use lease::{
    Claim, Claimed, LEASE_MARGIN, LeaseError, LeaseErrorKind, LeaseRow, LeaseStore, LostCause, Paused, RunId,
};
pub use outcome::{NotClaimed, RunOutcome};
pub use pause::PauseError;
#[doc(hidden)]
pub use poll::{IsTick, ticked};
pub use poll::{Poll, PollMeta, Tick};
pub use ready::{HasLeases, Leased, NeedsLeases, NoLeases, ReadyToRun};
#[cfg(all(feature = "worker", not(target_family = "wasm")))]
pub(crate) use registry::LONGEST_ON_WORKERS;
pub use registry::{Entry, Listed, Registry};
#[cfg(not(target_family = "wasm"))]
pub use runner::{RunUntil, StartError, shutdown_signal};
pub use slot::Slot;
pub use trigger::Trigger;

/// For stores that decide without SQL.
pub(crate) mod protocol {
    pub(crate) use super::lease::{
        millis,
        protocol::{Ask, NEVER, Row, TOLERANCE, decide, holds},
    };
}
