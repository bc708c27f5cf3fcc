//! Units on the databases of sqlx: a connection of a pool, a transaction on it, and one file an engine.

mod causes;
mod checkout;
mod classify;
mod control;
mod engine;
mod executor;
mod fence;
mod finish;
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
mod tx;

use super::{attempt, boundary::Unit, ended, hooks, options, timer};

pub use checkout::{Checkout, Open};
pub(crate) use classify::{code_of, quotes_values};
pub use engine::Engine;
pub use fence::{Fence, Fences, fence};
#[cfg(feature = "sea-orm")]
pub use orm::Orm;
#[cfg(feature = "sea-orm")]
pub(crate) use orm::beneath;
pub use receipts::Receipts;
pub use tx::Tx;
