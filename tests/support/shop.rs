//! A small shop: the names that the declarations in `ui/` and in `wall/` share.

use steadfast::{Classify, UnitFailure};

/// What can go wrong with a bill.
#[derive(Debug, thiserror::Error, Classify)]
pub enum BillingError {
    /// The domain's own: never retried.
    #[error("trial {0} is unknown")]
    Unknown(i64),
    /// The database's.
    #[error(transparent)]
    #[classify(transparent)]
    Db(#[from] sqlx::Error),
    /// The runtime's.
    #[error(transparent)]
    #[classify(transparent)]
    Unit(#[from] UnitFailure),
}

/// What sends mail.
#[derive(Clone, Debug, Default)]
pub struct Mailer;
