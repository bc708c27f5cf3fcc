//! A connection in bounded time, and what the driver's errors mean to a lease store.

use std::{borrow::Cow, time::Duration};

use sqlx::{Database, Error, Pool, pool::PoolConnection};

use super::error::{LeaseError, LeaseErrorKind};
use crate::{Classify as _, Kind, unit::code_of};

/// The longest wait for a connection; a pool may say less. A pool's own default is 30 s, as long as a clock may be off.
const LONGEST_WAIT: Duration = Duration::from_secs(5);

/// The longest wait for an answer. A run that waits for one runs nothing, and its claim says an ever older `now`.
const LONGEST_ANSWER: Duration = Duration::from_secs(5);

/// Takes a connection.
pub(super) async fn acquire<DB: Database>(pool: &Pool<DB>) -> Result<PoolConnection<DB>, LeaseError> {
    match tokio::time::timeout(LONGEST_WAIT, pool.acquire()).await {
        Ok(Err(Error::PoolTimedOut)) | Err(_) => {
            // sqlx says the same for "all in use" and "the server does not answer".
            let all_in_use = pool.num_idle() == 0 && pool.size() >= pool.options().get_max_connections();
            let kind = if all_in_use { LeaseErrorKind::PoolExhausted } else { LeaseErrorKind::ConnectionLost };
            Err(LeaseError::new(kind).caused_by(Error::PoolTimedOut))
        }
        Ok(answer) => answer.map_err(told),
    }
}

/// An answer that comes, or `None`: the server is gone without a word, or the row or the table is locked.
pub(super) async fn in_time<T>(answer: impl Future<Output = Result<T, Error>> + Send) -> Option<Result<T, Error>> {
    tokio::time::timeout(LONGEST_ANSWER, answer).await.ok()
}

/// Classifies by code, as for units, and besides tells a missing table.
pub(super) fn told(error: Error) -> LeaseError {
    let code = error.as_database_error().and_then(code_of).map(Cow::into_owned);
    let kind = match (code.as_deref(), error.failure().map(|failure| failure.kind)) {
        // Table and column: PostgreSQL, then MySQL. SQLite has no code for it, see `sqlite.rs`.
        (Some("42P01" | "42703" | "1146" | "1054"), _) => LeaseErrorKind::MissingTable,
        (_, Some(kind)) if kind.is_contention() => LeaseErrorKind::Contention,
        (_, Some(Kind::ConnectionLost)) => LeaseErrorKind::ConnectionLost,
        (_, Some(Kind::PoolExhausted)) => LeaseErrorKind::PoolExhausted,
        _ => LeaseErrorKind::Refused,
    };
    let told = LeaseError::new(kind).caused_by(error);
    match code {
        Some(code) => told.code(code),
        None => told,
    }
}
