//! What the transaction boundary has to know of a database engine. One file an engine implements it.

use std::borrow::Cow;

use std::future::Future;

use sqlx::{Database, Error, Pool, pool::PoolConnection};

use crate::retry::{Answer, Kind};

/// A database that atomic units run on: [`Sqlite`](sqlx::Sqlite) and [`Postgres`](sqlx::Postgres), by feature.
///
/// Sealed: the promises of a unit rest on what each engine does at COMMIT, and are tested against it.
pub trait Engine: Database + sealed::Sealed {
    /// Takes a connection. To drop this in the middle must lose nothing.
    #[doc(hidden)]
    #[must_use]
    fn acquire(pool: &Pool<Self>) -> impl Future<Output = Result<PoolConnection<Self>, Error>> + Send {
        pool.acquire()
    }

    /// The statement that begins a unit which gave this answer.
    #[doc(hidden)]
    fn begin(answer: Answer) -> &'static str;

    /// What an error of this engine means.
    #[doc(hidden)]
    fn verdict(error: &Error) -> Verdict;

    /// Whether this answer to COMMIT proves that nothing was applied. An allow-list: all else is in doubt.
    #[doc(hidden)]
    fn refuses_commit(error: &Error) -> bool;

    /// Whether this answer to ROLLBACK shows that the transaction had ended before.
    #[doc(hidden)]
    fn had_ended(error: &Error) -> bool;

    /// Whether the engine runs every statement of a text that comes with arguments.
    #[doc(hidden)]
    const MANY_STATEMENTS: bool;

    /// Undoes what [`begin`](Self::begin) left on the connection besides the transaction.
    #[doc(hidden)]
    fn restore(connection: &mut Self::Connection, answer: Answer) -> impl Future<Output = Result<(), Error>> + Send;

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

/// The SQLSTATE or extended code, for logs: never the text, which can hold values.
pub(super) fn code(error: &Error) -> Option<Cow<'_, str>> {
    error.as_database_error().and_then(sqlx::error::DatabaseError::code)
}
