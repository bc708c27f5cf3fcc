//! A schedule with what is hung onto it.

use std::{fmt, marker::PhantomData, time::Duration};

use super::{Modified, NamedSchedule, NoHooks, Step, Tapped};

/// Takes a schedule of `crate::retry` by its name; [`repeat`](Paced::repeat) or [`retry_or_else`](Paced::retry_or_else) runs the work.
///
/// ```
/// mod retry {
///     steadfast::policies! {
///         pub schedule tick = recurs(3);
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// use std::sync::atomic::{AtomicU32, Ordering};
///
/// let runs = AtomicU32::new(0);
/// let recurrences = steadfast::schedule::of::<retry::tick>().repeat(async || {
///     runs.fetch_add(1, Ordering::Relaxed);
///     Ok::<_, std::io::Error>(())
/// });
/// assert_eq!(recurrences.await.unwrap(), 3);
/// assert_eq!(runs.into_inner(), 4);
/// # }
/// ```
pub fn of<S: NamedSchedule>() -> Paced<S> {
    Paced { hooks: NoHooks, marker: PhantomData }
}

/// A schedule, and what is done with its steps. Made by [`of`], and it does nothing before one of its finishers.
///
/// ```no_run
/// # mod retry { steadfast::policies! { pub schedule tick = spaced("1s").up_to("5m"); } }
/// # async fn run_pass() -> Result<usize, std::io::Error> { Ok(0) }
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), std::io::Error> {
/// let last: usize = steadfast::schedule::of::<retry::tick>()
///     .tap(|step| println!("pass {} is done, the next one in {:?}", step.attempt, step.delay))
///     .passthrough()
///     .repeat(run_pass)
///     .await?;
/// # let _ = last;
/// # Ok(())
/// # }
/// ```
#[must_use = "a schedule does nothing until `repeat` or `retry_or_else` runs some work by it"]
pub struct Paced<S, H = NoHooks, O = Recurrences> {
    pub(super) hooks: H,
    marker: PhantomData<fn(S) -> O>,
}

/// What a [`repeat`](Paced::repeat) returns: the number of recurrences.
#[derive(Debug)]
pub struct Recurrences;

/// What a [`repeat`](Paced::repeat) returns after [`passthrough`](Paced::passthrough): the last value.
#[derive(Debug)]
pub struct LastValue;

/// What a [`repeat`](Paced::repeat) returns.
pub trait Output<T> {
    /// Its type.
    type Kept;
    /// Of the last value and the number of recurrences.
    fn keep(value: T, recurrences: u64) -> Self::Kept;
}

impl<T> Output<T> for Recurrences {
    type Kept = u64;

    fn keep(_: T, recurrences: u64) -> u64 {
        recurrences
    }
}

impl<T> Output<T> for LastValue {
    type Kept = T;

    fn keep(value: T, _: u64) -> T {
        value
    }
}

impl<S, H, O> Paced<S, H, O> {
    /// Shows each step to a function, before its wait. The end of the schedule is no step.
    ///
    /// It sees the delay that is waited, after all changes. Where the closure uses `input`, it says its type.
    ///
    /// ```
    /// use steadfast::schedule::{self, Step};
    /// # mod retry { steadfast::policies! { pub schedule tick = recurs(2); } }
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() {
    /// let mut seen = Vec::new();
    /// let tick = schedule::of::<retry::tick>().tap(|step: &Step<'_, &str>| seen.push((step.attempt, *step.input)));
    /// tick.repeat(async || Ok::<_, std::io::Error>("done")).await.unwrap();
    /// assert_eq!(seen, [(1, "done"), (2, "done")]);
    /// # }
    /// ```
    pub fn tap<I, F: FnMut(&Step<'_, I>)>(self, tap: F) -> Paced<S, Tapped<H, F, I>, O> {
        Paced { hooks: Tapped { before: self.hooks, tap, input: PhantomData }, marker: PhantomData }
    }

    /// Changes each delay, for example to one that a server asked for. It is handed the delay that was drawn.
    ///
    /// The cap of the schedule does not bind it. A `retry_or_else` needs no such function for what
    /// [`Classify`](crate::Classify) reports as `retry_after`: that is a floor already.
    ///
    /// ```
    /// use std::time::Duration;
    /// use steadfast::schedule::{self, Step};
    /// # mod retry { steadfast::policies! { pub schedule poll = spaced("1ms").up_to(1); } }
    ///
    /// struct Answer {
    ///     poll_after: Duration,
    /// }
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() {
    /// let poll = schedule::of::<retry::poll>().modify_delay(|step: &Step<'_, Answer>| step.delay.max(step.input.poll_after));
    /// let start = std::time::Instant::now();
    /// poll.repeat(async || Ok::<_, std::io::Error>(Answer { poll_after: Duration::from_millis(5) })).await.unwrap();
    /// assert!(start.elapsed() >= Duration::from_millis(5));
    /// # }
    /// ```
    pub fn modify_delay<I, F: FnMut(&Step<'_, I>) -> Duration>(self, modify: F) -> Paced<S, Modified<H, F, I>, O> {
        Paced { hooks: Modified { before: self.hooks, modify, input: PhantomData }, marker: PhantomData }
    }

    /// Makes a [`repeat`](Self::repeat) return the last value instead of the number of recurrences.
    ///
    /// ```
    /// # mod retry { steadfast::policies! { pub schedule tick = recurs(3); } }
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() {
    /// let tick = steadfast::schedule::of::<retry::tick>();
    /// let last = tick.passthrough().repeat(async || Ok::<_, std::io::Error>("done"));
    /// assert_eq!(last.await.unwrap(), "done");
    /// # }
    /// ```
    pub fn passthrough(self) -> Paced<S, H, LastValue> {
        Paced { hooks: self.hooks, marker: PhantomData }
    }
}

impl<S: NamedSchedule, H, O> fmt::Debug for Paced<S, H, O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Paced").field("schedule", &S::SCHEDULE).finish_non_exhaustive()
    }
}
