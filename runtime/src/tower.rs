//! A deadline for each request of a server. Feature `tower`.

use std::{
    task::{Context, Poll},
    time::Duration,
};

use tower_layer::Layer;
use tower_service::Service;

use crate::retry::{Within, within};

/// Opens a deadline ([`within`]) for each request, so that no retry begins after its caller has given up.
///
/// It cuts nothing off: a handler that must end is for a timeout layer, which may cancel a COMMIT. Give that one more time.
///
/// ```
/// use std::time::Duration;
/// use steadfast::tower::DeadlineLayer;
/// use tower_layer::Layer as _;
/// use tower_service::Service;
///
/// struct Handler;
///
/// impl Service<()> for Handler {
///     type Response = Option<Duration>;
///     type Error = std::convert::Infallible;
///     type Future = std::pin::Pin<Box<dyn Future<Output = Result<Option<Duration>, Self::Error>> + Send>>;
///
///     fn poll_ready(&mut self, _: &mut std::task::Context<'_>) -> std::task::Poll<Result<(), Self::Error>> {
///         std::task::Poll::Ready(Ok(()))
///     }
///
///     fn call(&mut self, (): ()) -> Self::Future {
///         Box::pin(async { Ok(steadfast::remaining()) })
///     }
/// }
///
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// let mut service = DeadlineLayer::new(Duration::from_secs(5)).layer(Handler);
/// let left = service.call(()).await.unwrap().unwrap();
/// assert!(left <= Duration::from_secs(5));
/// # });
/// ```
#[derive(Clone, Copy, Debug)]
pub struct DeadlineLayer {
    limit: Duration,
}

impl DeadlineLayer {
    /// A layer that gives each request so much time, from the moment on at which it is called.
    #[must_use]
    pub const fn new(limit: Duration) -> Self {
        Self { limit }
    }
}

impl<S> Layer<S> for DeadlineLayer {
    type Service = Deadline<S>;

    fn layer(&self, inner: S) -> Deadline<S> {
        Deadline { limit: self.limit, inner }
    }
}

/// The service of a [`DeadlineLayer`].
#[derive(Clone, Debug)]
pub struct Deadline<S> {
    limit: Duration,
    inner: S,
}

impl<R, S: Service<R>> Service<R> for Deadline<S> {
    type Response = S::Response;
    type Error = S::Error;
    type Future = Within<S::Future>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, request: R) -> Within<S::Future> {
        within(self.limit, self.inner.call(request))
    }
}
