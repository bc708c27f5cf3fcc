//! A connection, in bounded time.

use std::time::Duration;

use sqlx::{Database, Pool, pool::PoolConnection};

use super::error::{LeaseError, LeaseErrorKind};

/// The longest wait for a connection; a pool may say less. A pool's own default is 30 s, as long as a clock may be off.
const LONGEST_WAIT: Duration = Duration::from_secs(5);

/// Takes a connection; `told` classifies what the driver reports.
pub(super) async fn acquire<DB: Database>(
    pool: &Pool<DB>,
    told: fn(sqlx::Error) -> LeaseError,
) -> Result<PoolConnection<DB>, LeaseError> {
    match tokio::time::timeout(LONGEST_WAIT, pool.acquire()).await {
        Ok(Err(sqlx::Error::PoolTimedOut)) | Err(_) => {
            // sqlx says the same for "all in use" and "the server does not answer".
            let all_in_use = pool.num_idle() == 0 && pool.size() >= pool.options().get_max_connections();
            let kind = if all_in_use { LeaseErrorKind::PoolExhausted } else { LeaseErrorKind::ConnectionLost };
            Err(LeaseError::new(kind).caused_by(sqlx::Error::PoolTimedOut))
        }
        Ok(answer) => answer.map_err(told),
    }
}
