//! `in_doubt = resolve`: after a lost COMMIT the server is asked what became of the transaction.

use std::{future::Future, time::Duration};

use futures_util::future::{Either, select};
use sqlx::Pool;

use super::{
    Engine,
    engine::{Fate, TransactionId},
};
use crate::clock::{Clock, SystemClock};

/// How long the answer is waited for: a server that restarts is back by then, and a COMMIT that waits for a standby may end.
const PATIENCE: Duration = Duration::from_secs(10);
/// Between two questions.
const PAUSE: Duration = Duration::from_millis(50);

/// `Some(true)`: committed. `Some(false)`: not applied. `None`: nobody can say.
pub(super) fn resolve<DB: Engine>(pool: &Pool<DB>, id: &TransactionId) -> impl Future<Output = Option<bool>> + Send {
    async move {
        let asking = std::pin::pin!(async {
            loop {
                match DB::fate(pool, id).await {
                    Ok(Fate::Committed) => return Some(true),
                    Ok(Fate::Aborted) => return Some(false),
                    Ok(Fate::Unknown) => return None,
                    // The server may be on its way up again; a refusal of the question stays one.
                    Err(error) if error.as_database_error().is_some() && !DB::verdict(&error).evict => return None,
                    // Still committing: "my row is not there" would be no answer. Or there is no server to ask yet.
                    Ok(Fate::InProgress) | Err(_) => {}
                }
                SystemClock.sleep(PAUSE).await;
            }
        });
        match select(asking, SystemClock.sleep(PATIENCE)).await {
            Either::Left((fate, _)) => fate,
            Either::Right(_) => None,
        }
    }
}
