//! What the transaction boundary has to know of a database engine. One file an engine implements it.

use std::future::Future;

use sqlx::{Database, Error, Pool, SqlStr, pool::PoolConnection};

use super::{Fence, control::Dialect, ended::TransactionId, options};
use crate::retry::{Kind, Settings};

/// A database that atomic units run on: `sqlx::Sqlite`, `sqlx::Postgres` and `sqlx::MySql`, by feature.
///
/// Sealed: the promises of a unit rest on what each engine does at COMMIT, and are tested against it.
pub trait Engine: Database + sealed::Sealed {
    /// Takes a connection. To drop this in the middle must lose nothing.
    #[doc(hidden)]
    #[must_use]
    fn acquire(pool: &Pool<Self>) -> impl Future<Output = Result<PoolConnection<Self>, Error>> + Send {
        pool.acquire()
    }

    /// The statement that begins a unit.
    #[doc(hidden)]
    fn begin(settings: &Settings) -> SqlStr;

    /// The open transaction as the server knows it, to ask for it after a lost COMMIT; `None` when it has written nothing.
    #[doc(hidden)]
    fn transaction_id(
        connection: &mut Self::Connection,
    ) -> impl Future<Output = Result<Option<TransactionId>, Error>> + Send {
        let _ = connection;
        std::future::ready(Ok(None))
    }

    /// What became of a transaction.
    #[doc(hidden)]
    #[must_use]
    fn fate(pool: &Pool<Self>, id: &TransactionId) -> impl Future<Output = Result<Fate, Error>> + Send {
        let _ = (pool, id);
        std::future::ready(Ok(Fate::Unknown))
    }

    /// The statement of a fence: a row for the holder, locked where the engine has locks of rows. Job, run, token.
    #[doc(hidden)]
    fn fence(table: &str) -> SqlStr;

    /// Whether the run of a fence holds its lease.
    #[doc(hidden)]
    fn holds(
        connection: &mut Self::Connection,
        fence: &Fence<Self>,
    ) -> impl Future<Output = Result<bool, Error>> + Send;

    /// What an error of this engine means.
    #[doc(hidden)]
    fn verdict(error: &Error) -> Verdict;

    /// Inserts a receipt; `false` when there is one already. Waits for a transaction that is inserting the same one.
    #[doc(hidden)]
    fn claim_receipt(
        connection: &mut Self::Connection,
        unit: &str,
        key: &str,
        now: i64,
    ) -> impl Future<Output = Result<bool, Error>> + Send;

    /// What a receipt has recorded.
    #[doc(hidden)]
    fn read_receipt(
        connection: &mut Self::Connection,
        unit: &str,
        key: &str,
    ) -> impl Future<Output = Result<String, Error>> + Send;

    /// Records a result.
    #[doc(hidden)]
    fn write_receipt(
        connection: &mut Self::Connection,
        unit: &str,
        key: &str,
        result: &str,
    ) -> impl Future<Output = Result<(), Error>> + Send;

    /// Deletes the receipts that were written before.
    #[doc(hidden)]
    fn prune_receipts(pool: &Pool<Self>, before: i64) -> impl Future<Output = Result<u64, Error>> + Send;

    /// Creates the table of receipts if it is not there; safe from many replicas at once.
    #[doc(hidden)]
    fn install_receipts(pool: &Pool<Self>) -> impl Future<Output = Result<(), Error>> + Send;

    /// Whether this answer to COMMIT proves that nothing was applied. An allow-list: all else is in doubt.
    #[doc(hidden)]
    fn refuses_commit(error: &Error) -> bool;

    /// Whether this answer to ROLLBACK shows that the transaction had ended before.
    #[doc(hidden)]
    fn had_ended(error: &Error) -> bool;

    /// Whether a connection is of use after a statement on it was dropped before its answer.
    #[doc(hidden)]
    const RESUMES: bool = true;

    /// How a statement's text is read.
    #[doc(hidden)]
    const DIALECT: Dialect;

    /// Undoes what [`begin`](Self::begin) left on the connection besides the transaction.
    #[doc(hidden)]
    fn restore(connection: &mut Self::Connection) -> impl Future<Output = Result<(), Error>> + Send;

    /// Brings a connection out of a transaction that was not seen to end.
    ///
    /// # Errors
    ///
    /// When it cannot be brought out: the connection must be closed.
    #[doc(hidden)]
    fn settle(connection: &mut Self::Connection) -> impl Future<Output = Result<(), Unsettled>> + Send;

    /// [`settle`](Self::settle) where nobody can wait for it: the unit was dropped. Closes what it cannot settle.
    #[doc(hidden)]
    fn discard(connection: PoolConnection<Self>);
}

/// What a server says of a transaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    Committed,
    Aborted,
    InProgress,
    /// The server cannot say.
    Unknown,
}

#[diagnostic::do_not_recommend]
impl<DB: Engine> options::Isolates for DB {}

/// The connection may still be inside a transaction.
#[derive(Debug)]
pub struct Unsettled;

pub(super) mod sealed {
    pub trait Sealed {}
}

/// What an error means for the unit and for its connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Verdict {
    pub(crate) kind: Kind,
    /// The connection must not be used again.
    pub(crate) evict: bool,
}

pub(super) const fn keep(kind: Kind) -> Verdict {
    Verdict { kind, evict: false }
}

pub(super) const fn evict(kind: Kind) -> Verdict {
    Verdict { kind, evict: true }
}

/// The part of the tables that no engine changes: every error that no database reported.
pub(super) fn client_verdict(error: &Error) -> Verdict {
    match error {
        Error::Io(_) | Error::WorkerCrashed => evict(Kind::ConnectionLost),
        // Which of its two meanings it has, only the checkout can tell.
        Error::PoolTimedOut => keep(Kind::PoolExhausted),
        // The stream may be out of step with the server.
        Error::Protocol(_) | Error::Tls(_) | Error::BeginFailed | Error::InvalidSavePointStatement => {
            evict(Kind::Other)
        }
        _ => keep(Kind::Other),
    }
}

/// Whether this error means that the transaction is no longer what the body takes it for. The others arise on this side
/// of the connection: the database has refused nothing.
pub(super) fn ends_unit(error: &Error) -> bool {
    !matches!(
        error,
        Error::RowNotFound
            | Error::TypeNotFound { .. }
            | Error::ColumnNotFound(_)
            | Error::ColumnIndexOutOfBounds { .. }
            | Error::ColumnDecode { .. }
            | Error::Decode(_)
            | Error::Encode(_)
            | Error::InvalidArgument(_)
    )
}
