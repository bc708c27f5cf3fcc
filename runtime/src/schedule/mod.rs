//! Schedules: how work is paced that is repeated, or retried with a fallback.
//!
//! A schedule is an item of [`policies!`](crate::policies) in `src/retry.rs` and is used by its name. The source runs once before its
//! schedule is asked: `recurs(3)` is three more runs, `up_to(5)` five.
//!
//! ```
//! mod retry {
//!     steadfast::policies! {
//!         /// The relay looks for new rows.
//!         pub schedule tick = spaced("1s");
//!         /// A provider that is down for a moment.
//!         pub schedule patient = exponential(base = "100ms", cap = "10s").jittered().up_to(5);
//!     }
//! }
//! # fn main() {}
//! ```
//!
//! | shape | the delay after a run |
//! |---|---|
//! | `recurs(3)` | none, three times |
//! | `spaced("1s")` | 1 s, counted from the end of the run |
//! | `fixed("1s")` | what is left until the next whole second since the first run began; moments that a long run missed are left out |
//! | `exponential(base = "100ms", cap = "10s")` | 100 ms doubling to 10 s |
//! | `fibonacci(base = "100ms", cap = "10s")` | 100, 100, 200, 300, 500 ms and so on to 10 s |
//!
//! `.jittered()` draws each delay from its upper fifth, `.jittered(full)` and `.jittered(equal)` as a policy's jitter does: never above it.
//! `.up_to(5)` ends a schedule after so many recurrences, `.up_to("5m")` after so much time since the first run began. Without
//! either it has no end, which only [`repeat`](Paced::repeat) takes.
//!
//! A retry of a unit or a provider call is not made of these: their attributes name a policy.

mod delays;
mod hooks;
mod named;
mod paced;
mod pause;
mod repeat;
mod retry_or_else;
mod step;

pub use named::NamedSchedule;
pub use paced::{Paced, of};
pub use repeat::Repeat;
pub use retry_or_else::RetryOrElse;
pub use step::Step;

// In signatures, and nothing to call.
#[doc(hidden)]
pub use hooks::{Hooks, Modified, NoHooks, Tapped};
#[doc(hidden)]
pub use named::{Ends, RetriedError, Schedule, Shape, Spreads};
#[doc(hidden)]
pub use paced::{LastValue, Output, Recurrences};
