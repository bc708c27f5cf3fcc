//! Time.
use futures_core::future::BoxFuture;
use std::time::Duration;
/// Time.
pub trait Clock: Send + Sync + 'static {
    /// Wall.
    fn now(&self) -> std::time::SystemTime;
    /// Monotonic.
    fn sleep(&self, duration: Duration) -> BoxFuture<'static, ()>;
}
/// System.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemClock;
impl Clock for SystemClock {
    fn now(&self) -> std::time::SystemTime {
        std::time::SystemTime::now()
    }
    fn sleep(&self, duration: Duration) -> BoxFuture<'static, ()> {
        Box::pin(tokio::time::sleep(duration))
    }
}
