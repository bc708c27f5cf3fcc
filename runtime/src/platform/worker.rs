//! One thread, and time as JavaScript has it. The clocks of std panic here, and so do tokio's timers.

use std::time::{Duration, SystemTime};

pub(crate) use futures_core::future::LocalBoxFuture as BoxFuture;
// On Cloudflare it moves only with I/O.
pub(crate) use web_time::Instant;

/// Anything on this target; [`Send`] on a server.
pub trait MaybeSend {}

impl<T: ?Sized> MaybeSend for T {}

/// Anything on this target; [`Sync`] on a server.
pub trait MaybeSync {}

impl<T: ?Sized> MaybeSync for T {}

/// The longest wait that `setTimeout` takes.
const LONGEST: Duration = Duration::from_millis(i32::MAX as u64);

pub(crate) fn now() -> SystemTime {
    let now = web_time::SystemTime::now().duration_since(web_time::UNIX_EPOCH);
    SystemTime::UNIX_EPOCH + now.unwrap_or_default()
}

pub(crate) fn sleep(duration: Duration) -> BoxFuture<'static, ()> {
    Box::pin(async move {
        let mut left = duration;
        while left > LONGEST {
            worker::Delay::from(LONGEST).await;
            left -= LONGEST;
        }
        // Whole milliseconds, upwards: a wait never ends early.
        worker::Delay::from(left + Duration::from_micros(999)).await;
    })
}

/// A wait of no length: others get their turn.
pub(crate) fn yielded() -> BoxFuture<'static, ()> {
    sleep(Duration::ZERO)
}
