//! `.gate()`: a fair queue inside the process, for units that all want the same rows.

use std::{
    collections::HashMap,
    sync::{
        Arc, LazyLock, Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use futures_util::future::{Either, select};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::clock::{Clock, SystemClock};

/// One queue a unit, for the life of the process: there are as many as there are functions with such a policy.
static QUEUES: LazyLock<Mutex<HashMap<&'static str, Arc<Queue>>>> = LazyLock::new(Mutex::default);

#[derive(Debug)]
struct Queue {
    turn: Arc<Semaphore>,
    /// Who is in it, the one whose turn it is included.
    inside: AtomicUsize,
}

/// A place in a queue; it is left when this is dropped.
#[derive(Debug)]
struct Place(Arc<Queue>);

/// The unit's turn. Whoever holds it replays alone, until it is dropped.
#[derive(Debug)]
pub(super) struct Turn {
    _permit: OwnedSemaphorePermit,
    place: Place,
}

impl Turn {
    /// Whether somebody else waits for it.
    pub(super) fn is_wanted(&self) -> bool {
        self.place.0.inside.load(Ordering::Relaxed) > 1
    }
}

/// Whether somebody is in the unit's queue.
pub(super) fn is_busy(unit: &'static str) -> bool {
    queue(unit).inside.load(Ordering::Relaxed) > 0
}

/// Waits for the turn of a unit, in the order of arrival; `None` when it did not come in time.
pub(super) async fn turn(unit: &'static str, patience: Duration) -> Option<Turn> {
    let place = Place::in_queue(queue(unit));
    let permit = std::pin::pin!(Arc::clone(&place.0.turn).acquire_owned());
    match select(permit, SystemClock.sleep(patience)).await {
        Either::Left((permit, _)) => permit.ok().map(|permit| Turn { _permit: permit, place }),
        Either::Right(_) => None,
    }
}

fn queue(unit: &'static str) -> Arc<Queue> {
    let mut queues = QUEUES.lock().unwrap_or_else(PoisonError::into_inner);
    let new = || Arc::new(Queue { turn: Arc::new(Semaphore::new(1)), inside: AtomicUsize::new(0) });
    Arc::clone(queues.entry(unit).or_insert_with(new))
}

impl Place {
    fn in_queue(queue: Arc<Queue>) -> Self {
        queue.inside.fetch_add(1, Ordering::Relaxed);
        Self(queue)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.0.inside.fetch_sub(1, Ordering::Relaxed);
    }
}
