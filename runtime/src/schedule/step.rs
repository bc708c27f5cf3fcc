//! What a hook of a schedule sees.

use std::time::Duration;

/// A run that has ended, and the wait that follows.
///
/// ```
/// use steadfast::schedule::Step;
///
/// /// The type in `Step<'_, …>` is what is fed in: the value of a `repeat`, the error of a `retry_or_else`.
/// fn told(step: &Step<'_, std::io::Error>) -> String {
///     format!("attempt {} failed ({}), the next one in {:?}", step.attempt, step.input, step.delay)
/// }
/// ```
#[derive(Debug)]
#[non_exhaustive]
pub struct Step<'a, I> {
    /// What the run returned: the value that is repeated, or the error that is retried.
    pub input: &'a I,
    /// The recurrences that were made before, which is what a `repeat` that ended here would return.
    pub output: u64,
    /// The number of the run that has ended; the first is 1.
    pub attempt: u64,
    /// The wait that follows.
    pub delay: Duration,
    /// The time since the first run began.
    pub elapsed: Duration,
}

// By hand: a derive would ask the input to be `Copy`, of which there is but a reference.
impl<I> Clone for Step<'_, I> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<I> Copy for Step<'_, I> {}
