//! `.gate()`: a fair queue inside the process, for units that all want the same rows.

use std::{
    collections::HashMap,
    sync::{Arc, LazyLock, Mutex, PoisonError},
    time::Duration,
};

use futures_util::future::{Either, select};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::clock::{Clock, SystemClock};

/// One queue a unit, for the life of the process: there are as many as there are functions with such a policy.
static QUEUES: LazyLock<Mutex<HashMap<&'static str, Arc<Semaphore>>>> = LazyLock::new(Mutex::default);

/// The unit's turn. Whoever holds it replays alone, until it is dropped.
#[derive(Debug)]
pub(super) struct Turn {
    _permit: OwnedSemaphorePermit,
}

/// Waits for the turn of a unit, in the order of arrival; `None` when it did not come in time.
pub(super) async fn turn(unit: &'static str, patience: Duration) -> Option<Turn> {
    let queue = {
        let mut queues = QUEUES.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(queues.entry(unit).or_insert_with(|| Arc::new(Semaphore::new(1))))
    };
    let permit = std::pin::pin!(queue.acquire_owned());
    match select(permit, SystemClock.sleep(patience)).await {
        Either::Left((permit, _)) => permit.ok().map(|permit| Turn { _permit: permit }),
        Either::Right(_) => None,
    }
}
