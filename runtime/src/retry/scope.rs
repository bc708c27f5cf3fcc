//! The retry scope: around the body of a unit or call, so that a second layer inside is seen.

use std::{
    cell::Cell,
    future::Future,
    pin::Pin,
    task::{Context, Poll},
};

use pin_project_lite::pin_project;

use super::poll::during;

thread_local! {
    /// Whether the task that is being polled is inside the body of a unit or call. A task that is spawned inside leaves the
    /// scope, which is why `spawn` in a body does not compile.
    static INSIDE: Cell<bool> = const { Cell::new(false) };
}

/// Whether the caller runs inside a retry scope.
#[inline]
pub(crate) fn inside() -> bool {
    INSIDE.get()
}

pin_project! {
    /// A body under a retry scope.
    #[derive(Debug)]
    pub struct Scope<F> {
        #[pin]
        body: F,
    }
}

#[inline]
pub(crate) const fn scope<F: Future>(body: F) -> Scope<F> {
    Scope { body }
}

impl<F: Future> Future for Scope<F> {
    type Output = F::Output;

    #[inline]
    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<F::Output> {
        polled_inside(self.project().body, cx)
    }
}

/// One poll of a body, inside of the scope.
#[inline]
pub(crate) fn polled_inside<F: Future + ?Sized>(body: Pin<&mut F>, cx: &mut Context<'_>) -> Poll<F::Output> {
    let _inside = during(&INSIDE, true);
    body.poll(cx)
}
