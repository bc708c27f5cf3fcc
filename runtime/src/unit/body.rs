//! The body of an attempt while it runs: in the unit's span, under a retry scope, within the time of the attempt.
//!
//! One future for all three: every unit has a body of its own type, and each layer around it is compiled for each of them.

use std::{
    future::Future,
    pin::Pin,
    task::{Context, Poll},
};

use pin_project_lite::pin_project;
use tracing::Span;

use super::timer::Timer;
use crate::retry::enter;

pin_project! {
    /// A body that may take what is left of the attempt.
    #[derive(Debug)]
    pub struct Body<'a, F> {
        // `None` only once it is dropped.
        #[pin]
        work: Option<F>,
        span: Span,
        timer: &'a mut Timer,
    }

    impl<F> PinnedDrop for Body<'_, F> {
        fn drop(this: Pin<&mut Self>) {
            let mut this = this.project();
            // What ends with the body belongs to the unit's span.
            let _in_span = this.span.enter();
            this.work.set(None);
        }
    }
}

impl<'a, F: Future> Body<'a, F> {
    pub(super) const fn new(body: F, span: Span, timer: &'a mut Timer) -> Self {
        Self { work: Some(body), span, timer }
    }
}

impl<F: Future> Future for Body<'_, F> {
    type Output = Option<F::Output>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let this = self.project();
        let polled = {
            let _in_span = this.span.enter();
            let _inside = enter();
            this.work.as_pin_mut().map(|body| body.poll(cx))
        };
        // The work first: what is ready in time counts, however late it is looked at.
        match polled {
            Some(Poll::Ready(output)) => Poll::Ready(Some(output)),
            Some(Poll::Pending) if !this.timer.is_over(cx) => Poll::Pending,
            Some(Poll::Pending) | None => Poll::Ready(None),
        }
    }
}
