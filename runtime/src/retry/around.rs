//! What stands around a failed attempt: the caller's time, and whoever else tries again.

use std::time::Duration;

use super::{Kind, Stopped, durable::is_durable, remaining};

pub(crate) struct Around {
    /// What is left of the caller's deadline.
    pub(crate) left: Option<Duration>,
    /// Somebody else tries again later.
    pub(crate) is_durable: bool,
}

impl Around {
    pub(crate) fn now() -> Self {
        Self { left: remaining(), is_durable: is_durable() }
    }

    /// Whether a failure of this kind is retried here and not by the durable retrier.
    pub(crate) fn allow(&self, kind: Kind) -> Result<(), Stopped> {
        if self.is_durable && !kind.is_contention() { Err(Stopped::Durable) } else { Ok(()) }
    }

    /// The wait that follows: the drawn one, or a longer one that the other side asked for. It has to fit into the caller's
    /// deadline; without one, what was asked for has to fit into what the waits may take `otherwise`.
    pub(crate) fn fit(
        &self,
        drawn: Duration,
        asked: Option<Duration>,
        otherwise: impl FnOnce() -> Duration,
    ) -> Result<Duration, Stopped> {
        let wait = match asked {
            // Never clamped: who comes back early is refused again. What was drawn spreads those who were told the same.
            Some(asked) if asked > drawn => {
                if asked > self.left.unwrap_or_else(otherwise) {
                    return Err(Stopped::RetryAfter);
                }
                asked.saturating_add(drawn)
            }
            _ => drawn,
        };
        // With nothing left after the wait, the next attempt could not even begin. A timer may be a millisecond late.
        let late = if wait.is_zero() { Duration::ZERO } else { Duration::from_millis(1) };
        if self.left.is_some_and(|left| wait.saturating_add(late) >= left) { Err(Stopped::Deadline) } else { Ok(wait) }
    }
}
