//! Threads, tokio's timer and the machine's clock.

use std::time::{Duration, SystemTime};

pub(crate) use futures_core::future::BoxFuture;
pub(crate) use tokio::time::Instant;

/// [`Send`] on this target; anything on `wasm32-unknown-unknown`.
///
/// ```
/// fn boxed<F: Future<Output = ()> + steadfast::platform::MaybeSend + 'static>(work: F) -> steadfast::platform::BoxFuture<'static, ()> {
///     Box::pin(work)
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be sent between threads, which a server's futures and clocks must be",
    label = "not `Send` here",
    note = "on `wasm32-unknown-unknown` it need not be; to compile it for a server as well, for example to check its triggers, await what comes \
            from JavaScript through `worker::send::IntoSendFuture::into_send`"
)]
pub trait MaybeSend: Send {}

impl<T: Send + ?Sized> MaybeSend for T {}

/// [`Sync`] on this target; anything on `wasm32-unknown-unknown`.
///
/// ```
/// fn shared<T: steadfast::platform::MaybeSync>(_: &T) {}
/// shared(&7);
/// ```
pub trait MaybeSync: Sync {}

impl<T: Sync + ?Sized> MaybeSync for T {}

pub(crate) fn now() -> SystemTime {
    SystemTime::now()
}

pub(crate) fn sleep(duration: Duration) -> BoxFuture<'static, ()> {
    Box::pin(tokio::time::sleep(duration))
}

/// The shortest wait: others get their turn.
pub(crate) fn yielded() -> BoxFuture<'static, ()> {
    Box::pin(tokio::task::yield_now())
}
