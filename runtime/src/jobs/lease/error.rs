//! Why a lease store could not answer.

use std::{error::Error, fmt};

use crate::retry::{Classify, Failure, Kind};

/// What kind of failure it is, which decides whether the store is asked again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum LeaseErrorKind {
    /// The table is missing, or a column of it.
    MissingTable,
    /// The store was not reached, or was lost in the middle: asked again with the same run.
    ConnectionLost,
    /// The database rolled it back because of others (busy, deadlock, serialization): asked again.
    Contention,
    /// All connections of the pool are in use.
    PoolExhausted,
    /// The run does not hold its lease any more: it ran out, or another run has taken it.
    Lost,
    /// The clock of the process and that of the store differ by more than is tolerated.
    Skew,
    /// Anything else that the store refused.
    Refused,
    /// Something that the store cannot class: D1 reports a text alone. Nothing of it is retried.
    Unclassified,
}

impl LeaseErrorKind {
    /// For logs: `missing_table`, `connection_lost`, …
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::MissingTable => "missing_table",
            Self::ConnectionLost => "connection_lost",
            Self::Contention => "contention",
            Self::PoolExhausted => "pool_exhausted",
            Self::Lost => "lost",
            Self::Skew => "skew",
            Self::Refused => "refused",
            Self::Unclassified => "unclassified",
        }
    }
}

/// A lease store could not answer, or says that the lease is lost.
///
/// In an application's error: `#[classify(transparent)] Lease(#[from] steadfast::jobs::LeaseError)`.
///
/// Neither text nor `Debug` holds an address, a row's value or what PostgreSQL calls DETAIL; the driver's own error is
/// the [`source`](Error::source).
///
/// ```
/// use steadfast::jobs::{LeaseError, LeaseErrorKind};
///
/// let error = LeaseError::new(LeaseErrorKind::MissingTable);
/// assert!(error.to_string().contains("install()"));
/// ```
pub struct LeaseError {
    kind: LeaseErrorKind,
    /// Where it is not `jobs_leases`.
    table: Option<String>,
    code: Option<String>,
    source: Option<Box<dyn Error + Send + Sync>>,
}

impl LeaseError {
    /// An error of this kind; for stores.
    #[must_use]
    pub const fn new(kind: LeaseErrorKind) -> Self {
        Self { kind, table: None, code: None, source: None }
    }

    /// With the database's own code (SQLSTATE, SQLite's extended result code).
    #[must_use]
    pub fn code(mut self, code: impl Into<String>) -> Self {
        self.code = Some(code.into());
        self
    }

    /// With the error that caused it.
    #[must_use]
    pub fn caused_by(mut self, source: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        self.source = Some(source.into());
        self
    }

    /// With the name of a table that is not called `jobs_leases`.
    #[cfg(feature = "_unit")]
    pub(super) fn in_table(mut self, table: &str) -> Self {
        self.table = (table != super::text::TABLE).then(|| table.to_owned());
        self
    }

    /// The kind.
    #[must_use]
    pub const fn kind(&self) -> LeaseErrorKind {
        self.kind
    }

    /// The database's code, if it gave one.
    #[must_use]
    pub fn database_code(&self) -> Option<&str> {
        self.code.as_deref()
    }
}

impl fmt::Display for LeaseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let table = self.table.as_deref().unwrap_or("jobs_leases");
        match self.kind {
            LeaseErrorKind::MissingTable => write!(
                f,
                "the table `{table}` is missing or lacks columns; create it before the start, for example \
                 `leases.install().await?`; if there is another table of that name, choose one of your own, for example \
                 `.table(\"billing_leases\")?`"
            ),
            LeaseErrorKind::Refused => write!(
                f,
                "the lease store refused; check that the pool's options name the right database{}, and that its role may SELECT, \
                 INSERT and UPDATE `{table}` (to install it: CREATE)",
                if table.contains('.') { ", that the schema is there (SQLite: attached)" } else { "" }
            ),
            LeaseErrorKind::ConnectionLost => f.write_str(
                "the lease store cannot be reached; check that the database is up and that the pool's options name it",
            ),
            LeaseErrorKind::Unclassified => {
                f.write_str("the lease store failed and does not say whether to ask again, so nothing is retried")?;
                self.source.as_ref().map_or(Ok(()), |source| write!(f, ": {source}"))
            }
            LeaseErrorKind::Contention => f.write_str(
                "the lease store is busy; raise the connection's wait for locks, for example `busy_timeout`",
            ),
            LeaseErrorKind::PoolExhausted => f.write_str(
                "no connection became free for the lease store; raise the pool's limit, for example `max_connections(20)`",
            ),
            LeaseErrorKind::Lost => f.write_str(
                "the run does not hold its lease any more, another one may be at work; return, and leave it to that one",
            ),
            LeaseErrorKind::Skew => f.write_str(
                "this process's clock and the lease store's differ by more than is tolerated; set the clock, for example with NTP",
            ),
        }?;
        match &self.code {
            Some(code) => write!(f, " (code {code})"),
            None => Ok(()),
        }
    }
}

/// Without the source: a driver's `Debug` prints row values.
impl fmt::Debug for LeaseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LeaseError").field("kind", &self.kind).field("code", &self.code).finish_non_exhaustive()
    }
}

impl Classify for LeaseError {
    fn failure(&self) -> Option<Failure> {
        Some(Failure::of(match self.kind {
            LeaseErrorKind::ConnectionLost => Kind::ConnectionLost,
            LeaseErrorKind::PoolExhausted => Kind::PoolExhausted,
            LeaseErrorKind::Contention => Kind::LockTimeout,
            LeaseErrorKind::Lost => Kind::LeaseLost,
            LeaseErrorKind::MissingTable
            | LeaseErrorKind::Skew
            | LeaseErrorKind::Refused
            | LeaseErrorKind::Unclassified => Kind::Other,
        }))
    }
}

impl Error for LeaseError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.source.as_deref().map(|source| source as _)
    }
}
