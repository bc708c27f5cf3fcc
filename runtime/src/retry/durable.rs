//! Work that something durable tries again: a row with a count of attempts, a queue that delivers again.

use std::{
    cell::Cell,
    fmt::{self, Display, Write},
    future::Future,
    pin::Pin,
    task::{Context, Poll},
    time::Duration,
};

use pin_project_lite::pin_project;

use super::{Capped, Jitter, On, capped, gap, poll::during};

thread_local! {
    /// Whether the task that is being polled works for a durable retrier.
    static DURABLE: Cell<bool> = const { Cell::new(false) };
}

/// Whether the caller runs under [`scope`].
pub(crate) fn is_durable() -> bool {
    DURABLE.get()
}

/// Runs work that a durable retrier will try again, for example one item of an outbox or a message of a queue.
///
/// Units run in it, and retry contention only, whatever their policies name: everything else is the durable retrier's, or retries
/// would multiply. It is no retry scope.
///
/// ```
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// # async fn deliver(_: u64) -> Result<(), std::io::Error> { Ok(()) }
/// let delivered = steadfast::durable::scope(deliver(7)).await;
/// assert!(delivered.is_ok());          // on failure: a later time in the row, from `relay::delay(…)`
/// # });
/// ```
pub fn scope<F: Future>(work: F) -> Durable<F> {
    Durable { work }
}

pin_project! {
    /// The future of [`scope`].
    #[derive(Debug)]
    #[must_use = "a future does nothing unless it is awaited"]
    pub struct Durable<F> {
        #[pin]
        work: F,
    }
}

impl<F: Future> Future for Durable<F> {
    type Output = F::Output;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<F::Output> {
        let _durable = during(&DURABLE, true);
        self.project().work.poll(cx)
    }
}

/// The wait before the next attempt of work whose count of attempts stands in a row.
///
/// Made by the `delay` of a `durable(…)` policy, a pure function of the count and the row's key: the same after a restart and on
/// every replica, and different from row to row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Delay(Duration);

impl Delay {
    /// At least what the other side asked for (`Retry-After`).
    ///
    /// ```
    /// # mod retry {
    /// #     steadfast::policies! { pub policy relay = durable(base = "1s", cap = "1h", attempts = 20); }
    /// # }
    /// # fn main() {
    /// use std::time::Duration;
    ///
    /// let asked = Some(Duration::from_secs(30));
    /// let delay = retry::relay::delay(1, &"order-7").map(|delay| delay.at_least(asked));
    /// assert_eq!(delay.map(Duration::from), asked);
    /// # }
    /// ```
    #[must_use]
    pub fn at_least(self, asked: impl Into<Option<Duration>>) -> Self {
        asked.into().map_or(self, |asked| Self(self.0.max(asked)))
    }

    /// The wait.
    #[must_use]
    pub const fn duration(self) -> Duration {
        self.0
    }
}

impl From<Delay> for Duration {
    fn from(delay: Delay) -> Self {
        delay.0
    }
}

/// The delay after so many failed attempts; `None` when they are spent.
#[must_use]
pub fn delay(base_ms: u64, cap_ms: u64, attempts: u32, failed: u32, key: &dyn Display) -> Option<Delay> {
    let Some(n) = failed.checked_sub(1) else { return Some(Delay(Duration::ZERO)) };
    if failed >= attempts {
        return None;
    }
    let policy = capped(Capped { name: "", base_ms, cap_ms, retries: attempts, jitter: Jitter::Equal, on: On::NONE });
    Some(Delay(gap(&policy, n, Duration::ZERO, draw(failed, key))))
}

/// FNV-1a over a text: the same in every process and release.
pub(crate) fn fnv(key: &dyn Display) -> u64 {
    struct Fnv(u64);
    impl Write for Fnv {
        fn write_str(&mut self, text: &str) -> fmt::Result {
            self.0 = text.bytes().fold(self.0, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
            Ok(())
        }
    }
    let mut hash = Fnv(0xcbf2_9ce4_8422_2325);
    // A key that cannot be displayed whole is hashed as far as it got.
    let _ = write!(hash, "{key}");
    hash.0
}

/// A number that looks random and depends on nothing but these two.
fn draw(failed: u32, key: &dyn Display) -> u32 {
    // The finalizer of SplitMix64: every bit of the input reaches every bit of the output.
    let mut mixed = fnv(key).wrapping_add(u64::from(failed).wrapping_mul(0x9e37_79b9_7f4a_7c15));
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    u32::try_from((mixed ^ (mixed >> 31)) >> 32).expect("the upper half of 64 bits")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn relay(failed: u32, key: &dyn Display) -> Option<Duration> {
        delay(1_000, 3_600_000, 20, failed, key).map(Duration::from)
    }

    #[test]
    fn delays_double_from_the_base_to_the_cap_and_end() {
        for failed in 1..20 {
            let whole = Duration::from_secs(1 << (failed - 1)).min(Duration::from_hours(1));
            for key in 0..100 {
                let delay = relay(failed, &key).unwrap();
                assert!((whole / 2..=whole).contains(&delay), "{failed}: {delay:?} of {whole:?}");
            }
        }
        assert_eq!(relay(0, &1), Some(Duration::ZERO), "nothing has failed");
        assert_eq!((relay(20, &1), relay(u32::MAX, &1)), (None, None));
    }

    /// Rows hold times that an earlier release has computed, so the numbers are part of the interface.
    #[test]
    fn a_delay_depends_on_the_count_and_the_key_alone() {
        assert_eq!(relay(3, &"order-7"), relay(3, &format!("order-{}", 7)));
        let nanos = [relay(1, &"order-7"), relay(2, &"order-7"), relay(2, &7)].map(|delay| delay.unwrap().as_nanos());
        assert_eq!(nanos, [874_782_699, 1_951_163_554, 1_496_113_336]);
    }

    #[test]
    fn rows_that_failed_together_do_not_come_back_together() {
        let mut delays: Vec<_> = (0..1000).map(|key| relay(5, &key).unwrap()).collect();
        delays.sort_unstable();
        delays.dedup();
        assert!(delays.len() > 990, "{}", delays.len());
        let mean = delays.iter().sum::<Duration>() / 1000;
        assert!((Duration::from_millis(11_500)..Duration::from_millis(12_500)).contains(&mean), "{mean:?}");
    }
}
