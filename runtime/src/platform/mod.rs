//! What the target decides: whether futures are [`Send`], and where time comes from.
//!
//! On a server futures move between threads, so those of jobs, clocks and lease stores are `Send`. On `wasm32-unknown-unknown` there is
//! one thread, and a future that waits for JavaScript is not `Send`. The target chooses, never a feature: features unify over a
//! workspace, and one that builds a server and a Worker would lose `Send` in its server.
//!
//! Who implements [`Clock`](crate::clock::Clock) or [`LeaseStore`](crate::LeaseStore) for both names [`BoxFuture`] from here.

#[cfg(not(target_family = "wasm"))]
mod server;
#[cfg(target_family = "wasm")]
mod worker;

#[cfg(not(target_family = "wasm"))]
use server as target;
#[cfg(target_family = "wasm")]
use worker as target;

#[cfg(not(target_family = "wasm"))]
#[doc(inline)]
pub use server::{MaybeSend, MaybeSync};
#[cfg(target_family = "wasm")]
#[doc(inline)]
pub use worker::{MaybeSend, MaybeSync};

pub(crate) use target::{Instant, now, sleep, yielded};

/// A boxed future of this target: `Send` on a server, not on `wasm32-unknown-unknown`.
///
/// ```
/// use std::time::{Duration, SystemTime};
/// use steadfast::{clock::{Clock, SystemClock}, platform::BoxFuture};
///
/// /// Half as fast as others; for the server and for a Worker.
/// struct Slow;
///
/// impl Clock for Slow {
///     fn now(&self) -> SystemTime {
///         SystemClock.now()
///     }
///     fn sleep(&self, duration: Duration) -> BoxFuture<'static, ()> {
///         SystemClock.sleep(duration * 2)
///     }
/// }
/// ```
pub type BoxFuture<'a, T> = target::BoxFuture<'a, T>;
