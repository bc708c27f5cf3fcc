//! Atomic units: one transaction, replayed as a whole.
//!
//! [`#[atomic_unit]`](macro@crate::atomic_unit) expands a function into a loop over what stands here. The runtime owns BEGIN and
//! COMMIT and knows how far a unit has come, so that it can tell "not applied" from "nobody knows".

mod body;
mod boundary;
mod checkout;
mod classify;
mod control;
mod ended;
mod engine;
mod executor;
mod fence;
mod finish;
mod gate;
mod hooks;
#[cfg(feature = "mysql")]
mod mysql;
#[cfg(feature = "sea-orm")]
mod orm;
#[cfg(feature = "postgres")]
mod postgres;
mod receipt;
mod receipts;
mod resolve;
mod savepoint;
#[cfg(feature = "sqlite")]
mod sqlite;
mod timer;
mod tx;

pub(crate) use classify::{code_of, quotes_values};
pub use engine::Engine;
#[cfg(feature = "sea-orm")]
pub use orm::Orm;
#[cfg(feature = "sea-orm")]
pub(crate) use orm::beneath;
pub use receipts::Receipts;
pub use tx::Tx;

#[doc(hidden)]
pub use boundary::{Unit, unit};
#[doc(hidden)]
pub use checkout::{Checkout, Open, Transactional};
#[doc(hidden)]
pub use engine::{begins_by_mode, resolves};
#[doc(hidden)]
pub use fence::{Fence, Fences, fence};
#[doc(hidden)]
pub use receipt::{Receipt, receipt};
