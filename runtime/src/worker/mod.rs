//! Jobs on Cloudflare Workers: the same registry, fired by cron triggers, with its leases in D1.
//!
//! A Worker has no loop. Cloudflare calls it with a cron line and the scheduled time; every job of that line runs its slot, side by side, in
//! the boundary that a server has: lease, timeout, one line for a failure, release.
//!
//! ```no_run
//! use steadfast::{Jobs, Provide, Slot, d1, job, jobs::Leased, registry, worker::D1Leases};
//! use worker::send::IntoSendFuture as _;
//!
//! pub struct Trials(worker::D1Database);
//!
//! #[job(name = "billing.close-trials", cron = "0 3 * * *", exclusive, timeout = "5m")]
//! async fn close_trials(slot: Slot, trials: &Trials) -> Result<(), d1::Error> {
//!     let close = trials.0.prepare("update trials set closed = 1 where ends_at <= ?1");
//!     // `into_send`: so that the registry also compiles where its triggers are checked.
//!     close.bind(&[slot.unix_seconds().to_string().into()])?.run().into_send().await?;
//!     Ok(())
//! }
//!
//! #[derive(Provide)]
//! struct App { trials: Trials }
//!
//! registry! { static JOBS for App = [close_trials]; }
//!
//! async fn jobs(env: worker::Env) -> worker::Result<Jobs<App, Leased>> {
//!     let leases = D1Leases::new(&env.d1("DB")?);
//!     Ok(JOBS.with(App { trials: Trials(env.d1("DB")?) }).leases(leases))
//! }
//!
//! steadfast::worker::scheduled!(jobs);
//! # fn main() {}
//! ```
//!
//! The wrangler file names the lines, character for character. [`Triggers`] prints and checks them, on the machine that builds.
//!
//! What differs from a server:
//! - A `#[poll]` does not compile into such a registry, nor does a timeout above 14 minutes: a scheduled event ends after 15.
//! - Nothing is caught up or spread: `catch_up` and `splay` are the loop's, and [`Triggers::warnings`] names the jobs that say them.
//! - A panic cannot be caught on this target: it ends the event as failed, cuts the jobs beside it off, and the lease runs out.
//! - A statement that D1 has taken goes on when its job times out.
//! - Nothing that D1 reports is retried: [`d1::Error`](crate::d1::Error). There is no `RunHistory`, no lease as a parameter and no `fence`.
//! - Nothing checks the lease table at a start: it is a migration, or `leases.install().await?` once.
//! - On `wasm32-unknown-unknown` there is no `run_until`, no `http` and no `tower`; on a server this module is there for checks and tests.

mod panics;
mod scheduled;
#[cfg(not(target_family = "wasm"))]
mod triggers;

#[doc(inline)]
pub use crate::jobs::D1Leases;
#[doc(inline)]
pub use crate::worker_scheduled as scheduled;
#[doc(hidden)]
pub use scheduled::run;
#[cfg(not(target_family = "wasm"))]
pub use triggers::{Triggers, TriggersError};

/// What the expansion of [`scheduled!`] names.
#[doc(hidden)]
pub mod __private {
    pub use worker::{
        Env,
        js_sys::Promise,
        wasm_bindgen::{self, prelude::wasm_bindgen as export},
        worker_sys::{ScheduleContext, ScheduledEvent},
    };
}
