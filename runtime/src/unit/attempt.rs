//! What the loop of a unit asks of the place that it runs on. sqlx's databases answer by their [`Engine`](super::Engine), D1 by a batch.
//!
//! A future that knows nothing of the unit's types says that it is `Send`: rustc then looks no further where it proves that of a unit. The
//! one that knows them, the end of an attempt, says nothing: a unit is a function of concrete types, and its own future shows whether it is.
#![allow(async_fn_in_trait, reason = "see above")]

use super::{
    ended::{BoxError, Ended, TransactionId},
    timer::Timer,
};
use crate::{
    platform::MaybeSend,
    retry::{Declaration, Failure, Phase, Settings},
};

/// The type of a transaction, with the pool that it comes from. What `Tx<'_>` in a unit's signature turns into.
///
/// Implemented for every lifetime: for `'static` alone it is "not general enough" once a unit is spawned.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a transaction of steadfast",
    label = "an atomic unit takes its transaction as `&mut Tx<'_>`",
    note = "import the one of your database, for example `use steadfast::sqlite::Tx;`"
)]
pub trait Transactional {
    /// The database.
    type Engine;
    /// The pool that the caller passes where the body has the transaction.
    type Pool: Sync;
    /// What one attempt holds.
    type Checkout;
    /// One that holds nothing yet.
    #[must_use]
    fn checkout() -> Self::Checkout;
}

/// What one attempt holds, from its first wait on.
pub trait Begins: Sized {
    /// The pool that it is taken from.
    type Pool;
    /// A transaction that has begun.
    type Open<'c>
    where
        Self: 'c;

    /// Takes what it needs and begins.
    fn begin<'c>(
        &'c mut self,
        pool: &Self::Pool,
        settings: &Settings,
        timer: &mut Timer,
    ) -> impl Future<Output = Result<Self::Open<'c>, Refused>> + MaybeSend;

    /// Gives back what it holds. What is awaited here is done before the next attempt begins; a unit that is cancelled leaves the same to
    /// `Drop`.
    fn release(self) -> impl Future<Output = ()> + MaybeSend;
}

/// A transaction that has begun.
pub trait Ends: Sized {
    /// Commits or rolls back. `None`: the body took too long. `classify` says what its error means.
    async fn end<T, E>(
        self,
        declaration: &'static Declaration,
        timer: &mut Timer,
        result: Option<Result<T, E>>,
        classify: fn(&E) -> Option<Failure>,
    ) -> Ended<T, E>;
}

/// Who can be asked after a lost COMMIT.
pub trait Remembers {
    /// Whether the transaction was committed; `None` when nobody can say.
    fn committed(&self, id: &TransactionId) -> impl Future<Output = Option<bool>> + MaybeSend;
}

/// A unit that could not begin.
#[derive(Debug)]
pub struct Refused {
    pub(super) phase: Phase,
    pub(super) failure: Failure,
    pub(super) code: Option<Box<str>>,
    pub(super) error: BoxError,
}
