//! A batch, item by item: what one of them does wrong is its own affair.

use std::{
    any::Any,
    fmt,
    panic::{AssertUnwindSafe, catch_unwind},
    pin::Pin,
    task::{Context, Poll, ready},
};

use futures_core::Stream as _;
use futures_util::stream::FuturesUnordered;
use pin_project_lite::pin_project;

use super::{
    job::{IntoJobError, JobError},
    run::discard,
    telemetry,
};

/// After so many ends in one go other tasks are let run: items that wait for nothing must not hold up a thread.
const ENDS_IN_ONE_GO: u32 = 64;

/// Runs `f` for every item, at most `concurrency` at once, and says how many were done; 0 counts as 1.
///
/// One bad item does not stall the batch, nor fail it. A typed failure is one `WARN` event with the item's index, a panic one
/// `ERROR` event, and the other items go on. Neither is tried again here, so this is for work where that is true: the row stays
/// due and a later pass takes it, or to skip it is what is wanted. Items run on the caller's task and begin in their order; a
/// caller that is dropped drops what runs. It is no retry scope: units and calls inside retry as their policies say.
///
/// ```
/// # #[derive(Debug, thiserror::Error)]
/// # #[error("mail")]
/// # pub struct MailError;
/// # pub struct Mail;
/// # pub struct Outbox;
/// # impl Outbox {
/// #     async fn due(&self, _: usize) -> Result<Vec<Mail>, MailError> { Ok(vec![]) }
/// #     async fn send(&self, _: &Mail) -> Result<(), MailError> { Ok(()) }
/// # }
/// async fn relay(outbox: &Outbox) -> Result<u64, MailError> {
///     let mails = outbox.due(100).await?;
///     // A mail that cannot be sent is logged, and stays due.
///     let sent = steadfast::each(&mails, 5, async |mail| outbox.send(mail).await).await;
///     Ok(sent.done)
/// }
/// ```
///
/// What `f` changes stands in an atomic or a `Mutex`: a future that borrowed from the closure itself could not be spawned.
///
/// # Panics
///
/// When the iterator of the items does; what an item does ends with the item.
pub fn each<I, F, W, T, E>(items: I, concurrency: usize, f: F) -> Items<I::IntoIter, F, W>
where
    I: IntoIterator,
    // Not `AsyncFnMut`: no compiler can show that a future that borrows from the closure is `Send`.
    F: FnMut(I::Item) -> W,
    W: Future<Output = Result<T, E>>,
    E: IntoJobError,
{
    Items {
        left: Some(items.into_iter()),
        concurrency: concurrency.max(1),
        f,
        begun: 0,
        running: FuturesUnordered::new(),
        told: Each::default(),
    }
}

/// How many items of a batch ended how. See [`each`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[must_use = "a batch does not fail, whatever its items do: it says so here"]
pub struct Each {
    /// Those that succeeded.
    pub done: u64,
    /// Those that returned an error.
    pub failed: u64,
    /// Those that panicked.
    pub panicked: u64,
}

impl Each {
    /// Did every item succeed?
    #[must_use]
    pub const fn is_clean(&self) -> bool {
        self.failed == 0 && self.panicked == 0
    }

    fn count(&mut self, index: u64, ended: Ended) {
        match ended {
            Ended::Done => self.done += 1,
            Ended::Failed(error) => {
                self.failed += 1;
                telemetry::item_failed(index, &*error);
                discard(error);
                return;
            }
            Ended::Panicked(payload) => {
                self.panicked += 1;
                telemetry::item_panicked(index, &*payload);
                discard(payload);
                return;
            }
        }
        telemetry::item_done();
    }
}

pin_project! {
    /// The future of [`each`]. A type of its own, so that it is `Send` wherever its parts are.
    #[must_use = "a future does nothing unless it is awaited"]
    pub struct Items<I, F, W> {
        left: Option<I>,
        concurrency: usize,
        f: F,
        begun: u64,
        running: FuturesUnordered<Item<W>>,
        told: Each,
    }
}

impl<I, F, W, T, E> Future for Items<I, F, W>
where
    I: Iterator,
    F: FnMut(I::Item) -> W,
    W: Future<Output = Result<T, E>>,
    E: IntoJobError,
{
    type Output = Each;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Each> {
        let this = self.project();
        for _ in 0..ENDS_IN_ONE_GO {
            while this.running.len() < *this.concurrency {
                // An iterator that has ended is not asked again.
                let Some(item) = this.left.as_mut().and_then(Iterator::next) else {
                    *this.left = None;
                    break;
                };
                let index = *this.begun;
                *this.begun += 1;
                match catch_unwind(AssertUnwindSafe(|| (this.f)(item))) {
                    Ok(work) => this.running.push(Item { index, work: Some(work) }),
                    Err(payload) => this.told.count(index, Ended::Panicked(payload)),
                }
            }
            match ready!(Pin::new(&mut *this.running).poll_next(cx)) {
                Some((index, ended)) => this.told.count(index, ended),
                None => return Poll::Ready(*this.told),
            }
        }
        cx.waker().wake_by_ref();
        Poll::Pending
    }
}

impl<I, F, W> fmt::Debug for Items<I, F, W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Items").field("begun", &self.begun).field("told", &self.told).finish_non_exhaustive()
    }
}

/// How an item ended.
enum Ended {
    Done,
    Failed(JobError),
    Panicked(Box<dyn Any + Send>),
}

pin_project! {
    /// One item under way.
    struct Item<W> {
        index: u64,
        #[pin]
        work: Option<W>,
    }
}

impl<W, T, E> Future for Item<W>
where
    W: Future<Output = Result<T, E>>,
    E: IntoJobError,
{
    type Output = (u64, Ended);

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let mut this = self.project();
        let Some(work) = this.work.as_mut().as_pin_mut() else { return Poll::Pending };
        // The value's end and the error's conversion are the item's own code, too.
        let polled = catch_unwind(AssertUnwindSafe(|| {
            work.poll(cx).map(|result| match result {
                Ok(_) => Ended::Done,
                Err(error) => Ended::Failed(error.into_job_error()),
            })
        }));
        let ended = match polled {
            Ok(polled) => ready!(polled),
            Err(payload) => Ended::Panicked(payload),
        };
        // What the work holds is dropped here, and a destructor may panic.
        let ended = match catch_unwind(AssertUnwindSafe(|| this.work.set(None))) {
            Ok(()) => ended,
            Err(payload) => {
                discard(ended);
                Ended::Panicked(payload)
            }
        };
        Poll::Ready((*this.index, ended))
    }
}
