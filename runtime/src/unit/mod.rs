//! Atomic units: one transaction, replayed as a whole.
//!
//! [`#[atomic_unit]`](macro@crate::atomic_unit) expands a function into a loop over what stands here. The runtime owns BEGIN and
//! COMMIT and knows how far a unit has come, so that it can tell "not applied" from "nobody knows".

mod attempt;
mod body;
mod boundary;
#[cfg(feature = "worker")]
mod d1;
#[cfg(feature = "_database")]
mod database;
mod ended;
mod gate;
mod hooks;
mod options;
mod receipt;
mod timer;

#[cfg(feature = "worker")]
pub use d1::D1Tx;
#[cfg(feature = "sea-orm")]
pub use database::Orm;
#[cfg(feature = "sea-orm")]
pub(crate) use database::beneath;
#[cfg(feature = "_database")]
pub use database::{Engine, Receipts, Tx};
#[cfg(feature = "_database")]
pub(crate) use database::{code_of, quotes_values};

#[doc(hidden)]
pub use attempt::Transactional;
#[doc(hidden)]
pub use boundary::{Unit, unit};
#[cfg(feature = "_database")]
#[doc(hidden)]
pub use database::{Checkout, Fence, Fences, Open, fence};
#[doc(hidden)]
pub use options::{begins_by_mode, isolates, resolves};
#[doc(hidden)]
pub use receipt::{Receipt, receipt, record, recorded};
