//! One thread, and time as JavaScript has it. The clocks of std panic here, and so do tokio's timers.

use std::{
    pin::{Pin, pin},
    sync::Arc,
    task::{Context, Poll, Wake, Waker},
    time::{Duration, SystemTime},
};

use futures_util::task::AtomicWaker;

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
            Timeout::new(LONGEST).await;
            left -= LONGEST;
        }
        // Whole milliseconds, upwards: a wait never ends early. At least one: a chain of waits without length would let no other timer fire.
        Timeout::new((left + Duration::from_micros(999)).max(Duration::from_millis(1))).await;
    })
}

/// `setTimeout`. That of workers-rs wakes whoever polled it first, and nobody after that; a future may change hands
/// (`docs/reliability.md`).
struct Timeout {
    delay: worker::Delay,
    last: Arc<Last>,
}

/// Who polled last.
#[derive(Default)]
struct Last(AtomicWaker);

impl Wake for Last {
    fn wake(self: Arc<Self>) {
        self.0.wake();
    }
}

impl Timeout {
    fn new(duration: Duration) -> Self {
        Self { delay: worker::Delay::from(duration), last: Arc::default() }
    }
}

impl Future for Timeout {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        self.last.0.register(cx.waker());
        let waker = Waker::from(Arc::clone(&self.last));
        pin!(&mut self.delay).poll(&mut Context::from_waker(&waker))
    }
}

/// The shortest wait: others get their turn, timers among them.
pub(crate) fn yielded() -> BoxFuture<'static, ()> {
    sleep(Duration::ZERO)
}
