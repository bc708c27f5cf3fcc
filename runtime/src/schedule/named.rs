//! A schedule that has a name, and the bounds that say what it may be used for.

use std::time::Duration;

use crate::retry::{Jitter, Yes, exponential, fibonacci};

/// A schedule that has a name: what [`of`](super::of) takes. Made by [`policies!`](crate::policies) alone.
///
/// ```
/// use steadfast::schedule::{self, NamedSchedule};
/// # mod retry { steadfast::policies! { pub schedule tick = recurs(3); } }
///
/// async fn work() -> Result<(), std::io::Error> {
///     Ok(())
/// }
///
/// /// A service that leaves its pace to whoever starts it.
/// async fn serve<S: NamedSchedule>() -> Result<u64, std::io::Error> {
///     schedule::of::<S>().repeat(work).await
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// assert_eq!(serve::<retry::tick>().await.unwrap(), 3);
/// # }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a schedule",
    label = "expected the name of a schedule of `crate::retry`",
    note = "schedules are declared beside the policies in `src/retry.rs`, for example `pub schedule tick = spaced(\"1s\").up_to(5);`"
)]
pub trait NamedSchedule {
    /// Whether it comes to an end by itself.
    #[doc(hidden)]
    type Bounded;
    /// Whether its delays are drawn.
    #[doc(hidden)]
    type Jittered;
    /// Its numbers.
    #[doc(hidden)]
    const SCHEDULE: Schedule;
}

/// A schedule that comes to an end by itself.
#[diagnostic::on_unimplemented(
    message = "schedule `{Self}` has no end, so nothing may be retried by it",
    label = "a retry without an end turns a failure into a load",
    note = "bound it where it is declared, by a number or by a time, for example `.up_to(5)` or `.up_to(\"5m\")`",
    note = "work that is tried for hours belongs to a durable retrier, or to the next slot of a job"
)]
pub trait Ends: NamedSchedule {}
#[diagnostic::do_not_recommend]
impl<S: NamedSchedule<Bounded = Yes>> Ends for S {}

/// A schedule whose delays are drawn.
#[diagnostic::on_unimplemented(
    message = "schedule `{Self}` has no jitter, so nothing may be retried by it",
    label = "callers that failed together would come back together",
    note = "draw its delays where it is declared, for example `exponential(base = \"100ms\", cap = \"10s\").jittered().up_to(5)`"
)]
pub trait Spreads: NamedSchedule {}
#[diagnostic::do_not_recommend]
impl<S: NamedSchedule<Jittered = Yes>> Spreads for S {}

/// The numbers of a schedule, as `policies!` writes them down.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct Schedule {
    pub name: &'static str,
    pub shape: Shape,
    pub jitter: Option<Jitter>,
    /// The recurrences after the first run.
    pub times: Option<u32>,
    /// The time since the first run began in which a run may begin, in milliseconds.
    pub limit_ms: Option<u64>,
}

/// How the delays follow each other, in milliseconds.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub enum Shape {
    Recurs,
    Spaced(u64),
    Fixed(u64),
    Exponential { base: u64, cap: u64 },
    Fibonacci { base: u64, cap: u64 },
}

impl Shape {
    /// Delay number `n` before jitter (the first is 0): for a cadence, the longest that it can be.
    pub(super) const fn delay(self, n: u32) -> Duration {
        let ms = Duration::from_millis;
        match self {
            Self::Recurs => Duration::ZERO,
            Self::Spaced(delay) | Self::Fixed(delay) => ms(delay),
            Self::Exponential { base, cap } => exponential(ms(base), ms(cap), n),
            Self::Fibonacci { base, cap } => fibonacci(ms(base), ms(cap), n),
        }
    }
}

impl Schedule {
    pub(super) fn limit(&self) -> Option<Duration> {
        self.limit_ms.map(Duration::from_millis)
    }

    /// The longest that all delays together can take, as far as the number of recurrences says.
    pub(super) fn longest_wait(&self) -> Duration {
        let Some(times) = self.times else { return Duration::MAX };
        let highest = self.shape.delay(u32::MAX);
        let mut total = Duration::ZERO;
        for n in 0..times {
            let delay = self.shape.delay(n);
            if delay == highest {
                // It stays there: a sum of a million equal delays is one product.
                return total.saturating_add(delay.saturating_mul(times - n));
            }
            total = total.saturating_add(delay);
        }
        total
    }
}

/// What `retry_or_else` needs of its work's error, said in one message.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the error type of what `retry_or_else` runs",
    label = "a failure has to say what it is, and the runtime has to report through it that no time was left",
    note = "it needs `#[derive(steadfast::Classify)]` and a variant `#[classify(transparent)] Unit(#[from] steadfast::UnitFailure)`",
    note = "a type of another crate cannot have them: wrap it in an enum of yours, or use `anyhow::Error` with steadfast's feature `anyhow`"
)]
pub trait RetriedError: crate::Classify + From<crate::UnitFailure> {}
#[diagnostic::do_not_recommend]
impl<E: crate::Classify + From<crate::UnitFailure>> RetriedError for E {}

#[cfg(test)]
mod tests {
    use super::*;

    fn times(shape: Shape, times: u32) -> Schedule {
        Schedule { name: "test", shape, jitter: None, times: Some(times), limit_ms: None }
    }

    #[test]
    fn the_longest_wait_is_the_sum_of_the_delays() {
        let doubling = Shape::Exponential { base: 100, cap: 1_000 };
        for (schedule, ms) in [
            (times(Shape::Recurs, 1_000_000), 0),
            (times(Shape::Spaced(250), 1_000_000), 250_000_000),
            (times(doubling, 3), 100 + 200 + 400),
            (times(doubling, 6), 100 + 200 + 400 + 800 + 1_000 + 1_000),
            (times(Shape::Fibonacci { base: 100, cap: 1_000 }, 7), 100 + 100 + 200 + 300 + 500 + 800 + 1_000),
        ] {
            assert_eq!(schedule.longest_wait(), Duration::from_millis(ms), "{schedule:?}");
        }
        assert_eq!(Schedule { times: None, ..times(doubling, 1) }.longest_wait(), Duration::MAX);
    }
}
