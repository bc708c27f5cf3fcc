//! What is found, at the token that shows it.

use proc_macro2::Ident;

/// Something that some bodies may not contain, at the token that shows it.
///
/// ```
/// use steadfast_lint::{Found, scan};
///
/// let body = "loop { pass().await; tokio::time::sleep(a_second).await; }";
/// let found = scan(body.parse()?);
/// assert!(matches!(&found[..], [Found::SleepInLoop(word)] if word == "sleep"));
/// # Ok::<(), proc_macro2::LexError>(())
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Found {
    /// `.retry(…)`, `.retry_or_else(…)`, or a path into a crate that retries.
    Retry(Ident),
    /// A sleep inside of a loop.
    SleepInLoop(Ident),
    /// `interval(…)` and what else ticks; where none is made in the same function, `.tick().await` in a loop.
    Ticker(Ident),
    /// A name such as `last_run` that is set from a clock: what is new "since the last run" is then asked of the memory.
    LastRun(Ident),
    /// A path into a crate that runs things at their times.
    Schedule(Ident),
    /// `.post(…)` or `.patch(…)` in what is retried, without a word about idempotency.
    Post(Ident),
    /// A task that leaves the body.
    Spawn(Ident),
    /// A read of the wall clock: the type, and the function.
    Clock(Ident, Ident),
    /// `.begin(…)` or `.acquire(…)`.
    Begin(Ident),
    /// `policies! { … }`.
    Policies(Ident),
}

impl Found {
    /// `.retry_or_else(…)` of a named schedule: a retry that has a name and an end, and no place in what is replayed.
    ///
    /// ```
    /// let found = steadfast_lint::scan("schedule::of::<retry::patient>().retry_or_else(ask, fallback)".parse()?);
    /// assert!(found[0].is_named_retry());
    /// # Ok::<(), proc_macro2::LexError>(())
    /// ```
    #[must_use]
    pub fn is_named_retry(&self) -> bool {
        matches!(self, Self::Retry(word) if word == "retry_or_else")
    }
}
