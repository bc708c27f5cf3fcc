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
/// The end is asked before each step: of a process that was paused, both may be ready, and work whose time is over must take no further
/// one. Only the first step of work that is `fresh`, whose time has just begun, needs no such question: so what is done in one step has
/// no timer.
pub(crate) async fn contained<W, E>(
    fresh: bool,
    start: impl FnOnce() -> W,
    end: impl Future<Output = E>,
) -> Contained<W::Output, E>
where
    W: Future + Unpin,
{
    let mut work = match catch_unwind(AssertUnwindSafe(start)) {
        Ok(work) => AssertUnwindSafe(work).catch_unwind(),
        Err(payload) => return Contained::Panicked(payload),
    };
    let done = match fresh.then(|| (&mut work).now_or_never()).flatten() {
        Some(done) => Ok(done),
        None => match select(pin!(end), &mut work).await {
            Either::Left((ended, _)) => Err(ended),
            Either::Right((done, _)) => Ok(done),
        },
    };
    let ended = match done {
        Ok(Ok(value)) => return Contained::Returned(value),
        Ok(Err(payload)) => return Contained::Panicked(payload),
        Err(ended) => ended,
    };
    // What the function holds is dropped here, and a destructor may panic.
    match catch_unwind(AssertUnwindSafe(|| drop(work))) {
        Ok(()) => Contained::CutOff(ended),
        Err(payload) => Contained::Panicked(payload),
    }
}
