//! Work of the application's: it may panic, and it may be cut off.

use std::{
    any::Any,
    panic::{AssertUnwindSafe, catch_unwind},
    pin::pin,
};

use futures_util::{
    FutureExt as _,
    future::{Either, select},
};

/// How it ended.
pub(crate) enum Contained<T, E> {
    Returned(T),
    /// The payload, for the one log line.
    Panicked(Box<dyn Any + Send>),
    /// It was dropped, for this reason.
    CutOff(E),
}

/// Starts the work and runs it until it ends, or until `end` does. No panic of its goes through.
///
/// The end is asked first: of a process that was paused, both may be ready, and work whose time is over must take no further step.
pub(crate) async fn contained<W, E>(start: impl FnOnce() -> W, end: impl Future<Output = E>) -> Contained<W::Output, E>
where
    W: Future + Unpin,
{
    let work = match catch_unwind(AssertUnwindSafe(start)) {
        Ok(work) => AssertUnwindSafe(work).catch_unwind(),
        Err(payload) => return Contained::Panicked(payload),
    };
    let (ended, work) = match select(pin!(end), work).await {
        Either::Left((ended, work)) => (ended, work),
        Either::Right((Ok(value), _)) => return Contained::Returned(value),
        Either::Right((Err(payload), _)) => return Contained::Panicked(payload),
    };
    // What the function holds is dropped here, and a destructor may panic.
    match catch_unwind(AssertUnwindSafe(|| drop(work))) {
        Ok(()) => Contained::CutOff(ended),
        Err(payload) => Contained::Panicked(payload),
    }
}
