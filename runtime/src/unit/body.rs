//! The body of a unit, as an attempt polls it: in the unit's span, under a retry scope, for as long as the attempt may take.
//!
//! One future and not three around each other: rustc types, checks and compiles each of them again for every unit of a crate.

use std::{
    future::Future,
    pin::Pin,
    task::{Context, Poll},
};

use pin_project_lite::pin_project;
use tracing::Span;

use super::timer::Timer;
use crate::retry::polled_inside;

pin_project! {
    /// A body under way; `None` when it took too long.
    pub struct Body<'a, F> {
        // `None`: dropped, in the span as it was polled there.
        #[pin]
        work: Option<F>,
        timer: &'a mut Timer,
        span: &'a Span,
    }

    impl<F> PinnedDrop for Body<'_, F> {
        fn drop(this: Pin<&mut Self>) {
            let mut this = this.project();
            let _entered = this.span.enter();
            this.work.set(None);
        }
    }
}

impl<'a, F: Future> Body<'a, F> {
    pub(super) const fn new(body: F, timer: &'a mut Timer, span: &'a Span) -> Self {
        Self { work: Some(body), timer, span }
    }
}

impl<F: Future> Future for Body<'_, F> {
    type Output = Option<F::Output>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let this = self.project();
        let body = this.work.as_pin_mut().expect("a body is there until it is dropped");
        poll(body, this.timer, this.span, cx)
    }
}

/// Whatever the body is, so that there is one copy of this for all units with one result.
fn poll<T>(
    body: Pin<&mut dyn Future<Output = T>>,
    timer: &mut Timer,
    span: &Span,
    cx: &mut Context<'_>,
) -> Poll<Option<T>> {
    let polled = span.in_scope(|| polled_inside(body, cx));
    // The work first: what is ready in time counts, however late it is looked at.
    match polled {
        Poll::Ready(output) => Poll::Ready(Some(output)),
        Poll::Pending if timer.is_over(cx) => Poll::Ready(None),
        Poll::Pending => Poll::Pending,
    }
}
