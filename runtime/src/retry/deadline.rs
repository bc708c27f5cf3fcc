//! The caller's budget of time.

use std::{
    cell::Cell,
    future::Future,
    pin::Pin,
    task::{Context, Poll},
    time::Duration,
};

use crate::platform::Instant;
use pin_project_lite::pin_project;

use super::poll::during;

thread_local! {
    /// The nearest deadline around the task that is being polled.
    static DEADLINE: Cell<Option<Instant>> = const { Cell::new(None) };
}

/// Opens a deadline: what runs inside of `future` has `limit`, from this call on, for all of its attempts and waits together.
///
/// A wait that does not fit is not begun: the last real error comes back at once. An attempt of an atomic unit ends when the time is
/// over (on PostgreSQL its statements do, too), in the phase that it has reached: in COMMIT it is in doubt. A provider call is handed
/// the time that is left, [`remaining`], for its client's own timeout, and nothing is begun when none is left. The deadline is
/// monotonic: to set the wall clock neither ends nor prolongs it. Deadlines nest, and the nearest one counts.
///
/// A unit whose COMMIT was lost and that answers `in_doubt = resolve` asks the server for up to 10 s all the same: an answer that is in
/// doubt would be worth less.
///
/// The future itself is not cut off: cancelling a COMMIT would leave its caller without the answer that it is in doubt.
/// A task that is spawned inside is no longer under the deadline.
///
/// ```
/// use std::time::Duration;
/// # #[derive(Debug, thiserror::Error, steadfast::Classify)]
/// # enum MailError {
/// #     #[error("unavailable")] #[classify(unavailable)] Unavailable,
/// #     #[error(transparent)] #[classify(transparent)] Unit(#[from] steadfast::UnitFailure),
/// # }
/// # mod retry {
/// #     steadfast::policies! {
/// #         pub policy provider = capped(base = "200ms", cap = "2s", retries = 5).on(rate_limited, unavailable);
/// #     }
/// # }
/// #[steadfast::provider_call(retry = provider, idempotent = read)]
/// async fn status(id: u64) -> Result<bool, MailError> {
///     let _for_the_client = steadfast::remaining();
///     # let _ = id;
///     Err(MailError::Unavailable)
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// // Five retries would take up to 5.4 s; the caller waits for 50 ms.
/// let answer = steadfast::within(Duration::from_millis(50), status(7)).await;
/// assert!(matches!(answer, Err(MailError::Unavailable)));
/// # }
/// ```
pub fn within<F: Future>(limit: Duration, future: F) -> Within<F> {
    // So far away that it cannot be counted: none.
    Within { deadline: Instant::now().checked_add(limit), future }
}

/// What is left of the nearest deadline that [`within`] has opened around the caller; `None` where there is none.
///
/// ```
/// use std::time::Duration;
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// assert_eq!(steadfast::remaining(), None);
/// let nested = async { steadfast::within(Duration::from_secs(60), async { steadfast::remaining() }).await };
/// let left = steadfast::within(Duration::from_secs(2), nested).await.unwrap();
/// assert!(left <= Duration::from_secs(2));
/// # });
/// ```
#[must_use]
pub fn remaining() -> Option<Duration> {
    Some(DEADLINE.get()?.saturating_duration_since(Instant::now()))
}

/// Whether a deadline is open and has passed.
#[inline]
pub(crate) fn has_passed() -> bool {
    DEADLINE.get().is_some_and(|deadline| deadline <= Instant::now())
}

pin_project! {
    /// The future of [`within`].
    #[derive(Debug)]
    #[must_use = "a future does nothing unless it is awaited"]
    pub struct Within<F> {
        deadline: Option<Instant>,
        #[pin]
        future: F,
    }
}

impl<F: Future> Future for Within<F> {
    type Output = F::Output;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<F::Output> {
        let this = self.project();
        let nearest = match (*this.deadline, DEADLINE.get()) {
            (Some(own), Some(outer)) => Some(own.min(outer)),
            (own, outer) => own.or(outer),
        };
        let _open = during(&DEADLINE, nearest);
        this.future.poll(cx)
    }
}
