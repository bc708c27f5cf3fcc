//! What a poll is: its constants, what a tick answers, and the trait the macro implements.

use std::time::Duration;

use super::job::JobError;
use crate::{clock::JobClock, platform::MaybeSend};

/// What a tick of a poll found.
///
/// ```
/// # fn tick(taken: usize) -> steadfast::Tick {
/// use steadfast::Tick;
///
/// // As many as were asked for: there are probably more.
/// if taken == 100 { Tick::More } else { Tick::Idle }
/// # }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use = "the runner waits, or does not, by what a tick returns"]
pub enum Tick {
    /// There is more to do: the next tick follows at once.
    More,
    /// There is nothing more to do: the next tick follows after the poll's `every`.
    Idle,
}

/// What `#[poll]` knows about a poll, as a constant.
#[derive(Clone, Copy, Debug)]
pub struct PollMeta {
    /// The label of its metrics: `[a-z0-9._-]`, 1 to 64 bytes.
    pub name: &'static str,
    /// The wait after an idle tick, at most a minute. After failures it doubles up to a minute, and half of it is drawn.
    pub every: Duration,
    /// How long one tick may take, measured by a clock that never jumps.
    pub timeout: Duration,
}

/// A poll that an application of type `A` can run; implemented by `#[poll]` for every `A` that provides its parameters.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a poll",
    label = "only functions annotated with `#[poll]` tick",
    note = "annotate the function, for example `#[poll(every = \"1s\", timeout = \"30s\")]`"
)]
pub trait Poll<A> {
    /// The poll's constants.
    const META: PollMeta;

    /// Calls the function with what the application provides.
    ///
    /// # Errors
    /// The function's own error.
    fn tick(clock: &JobClock, app: &A) -> impl Future<Output = Result<Tick, JobError>> + MaybeSend;
}

/// What the function of a poll returns when it succeeded.
#[diagnostic::on_unimplemented(
    message = "a poll returns a `Tick`, not `{Self}`",
    label = "`Tick::More` runs it again at once, `Tick::Idle` after its `every`",
    note = "write for example `-> Result<Tick, MailError>`"
)]
pub trait IsTick {
    /// The tick.
    fn tick(self) -> Tick;
}

impl IsTick for Tick {
    fn tick(self) -> Self {
        self
    }
}

/// The end of a tick.
///
/// # Errors
/// The function's own.
pub fn ticked<T: IsTick>(result: Result<T, JobError>) -> Result<Tick, JobError> {
    result.map(IsTick::tick)
}
