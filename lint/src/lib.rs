//! Finds what is retried, ticked or scheduled by hand, where no attribute of steadfast looks.
//!
//! `#[atomic_unit]`, `#[job]` and their like refuse a retry by hand in the bodies that they stand on. This crate is how they find it, and
//! it finds the same in files that carry no attribute: in a test, or in a build script.
//!
//! # In a test
//!
//! ```toml
//! [dev-dependencies]
//! steadfast-lint = "=0.1.0"
//! ```
//!
//! ```
//! use steadfast_lint::{Kind, Lint};
//!
//! // The body of a `#[test]`:
//! let package = env!("CARGO_MANIFEST_DIR");
//! # let package = "no/such/package";
//! let lint = Lint::new(package).allow_kind("src/device.rs", Kind::SleepingLoop, "the device is asked until it is warm");
//! # let lint = steadfast_lint::Lint::new(env!("CARGO_MANIFEST_DIR"));
//! lint.assert();
//! ```
//!
//! # In a build script
//!
//! ```toml
//! [build-dependencies]
//! steadfast-lint = "=0.1.0"
//! ```
//!
//! ```no_run
//! // In the `main` of `build.rs`:
//! steadfast_lint::deny_inline_retries();
//! ```
//!
//! ```text
//! error: shop@0.1.0: src/mail.rs:4:22: a loop that sleeps, by `sleep`, is a retry or a schedule by hand; name a policy, …
//! ```
//!
//! `Lint::new(env!("CARGO_MANIFEST_DIR")).allow("src/device.rs", "…").deny()` does the same with what is allowed.
//!
//! The build fails then, with all findings at once. A test costs the build nothing: as a build dependency the crate turns on
//! `proc-macro2/span-locations`, for the macros of the build as well.
//!
//! # What is found
//!
//! | [`Kind`] | what shows it |
//! |---|---|
//! | `Retry` | `.retry(…)` with an argument; a path into backon, backoff, tokio-retry, tokio-retry2, tryhard, again, retry, exponential-backoff, reqwest-retry, futures-retry, retry-policies or `tower::retry`. `retry::contention` is a policy of yours, and none |
//! | `SleepingLoop` | `sleep(…)`, `sleep_until(…)`, `delay_for(…)`, `Timer::after(…)` or `Delay::new(…)` in a loop |
//! | `Ticker` | `interval(…)`, `interval_at(…)`, `Timer::interval(…)`, `IntervalStream::new(…)`; where a function makes none, `.tick().await` in a loop |
//! | `LastRun` | `last_run`, `last_tick_at`, `since` and their like, as a local, a static or a field of `self`, set from the wall clock by `=`, `.store(…)`, `.swap(…)`, `.set(…)`, `.replace(…)` or `mem::replace`. `row.last_run = …` sets a column, and is none |
//! | `Schedule` | a path into tokio-cron-scheduler, clokwerk, `job_scheduler`, tokio-schedule, `delay_timer` or apalis-cron; `JobScheduler::new` |
//! | `UnkeyedRequest` | `.post(…)` or `.patch(…)` in what a retry is given in place, or in a loop that sleeps and tries the same again, without any word about idempotency |
//! | `UnlistedJob` | with [`Lint::every_job_listed`]: a `pub` function with `#[job]` or `#[poll]` that no `registry!` of the package lists |
//!
//! Tests are not judged (`#[test]` and its like, `#[cfg(test)]`, the files of a `#[cfg(test)] mod …;`), nor what a macro of steadfast has
//! judged: an item with `#[atomic_unit]`, `#[provider_call]`, `#[repository]`, `#[job]` or `#[poll]` has its own `allow(…)`. A schedule that
//! `policies!` names is no finding, wherever it is used.
//!
//! # What it cannot see
//!
//! Tokens are all that is looked at: direct calls, under the names that are listed. A crate that is renamed by `use … as …`, a retry that a
//! function of yours makes, a loop made of a recursion are not seen; a method of your own called `retry`, or a timer that is made in a loop
//! and awaited elsewhere, is taken for one, and so is a module of yours that is called like such a crate and stands in another file. A file
//! outside of the folder (`#[path = "…"]`, `include!`) is not looked at. What is right where it stands is allowed by its path, with a
//! reason: [`Lint::allow`]. A file that cannot be read as Rust is an [`Error`] and never passed over.
//!
//! # Features
//!
//! `files` (default): all but [`scan`] and [`Found`], which are what the macros use.

mod around;
mod clocks;
#[cfg(feature = "files")]
mod files;
mod found;
mod look;
mod loops;
mod place;
mod posts;
mod scan;
#[cfg(test)]
mod tests;
mod words;

#[cfg(feature = "files")]
pub use files::{Error, Finding, Kind, Lint, Report, deny_inline_retries};
pub use found::Found;
pub use scan::scan;
