//! Schedules, on tokio's paused clock: a wait takes no time, and its length is exact. They are declared in `crate::retry`.

mod long_lived;
mod pace;
mod repeat;
mod retry_or_else;
mod spawned;
mod steps;

use std::{cell::RefCell, time::Duration};

use steadfast::{Classify, UnitFailure};
use tokio::time::Instant;

const fn ms(ms: u64) -> Duration {
    Duration::from_millis(ms)
}

/// The error of the work under test.
#[derive(Debug, thiserror::Error, Classify)]
enum WorkError {
    #[error("the application says no")]
    Domain,
    #[error("unavailable, time {0}")]
    #[classify(unavailable)]
    Unavailable(u32),
    #[error("asked to wait")]
    #[classify(rate_limited, retry_after = wait)]
    Later { wait: Duration },
    #[error("some failure of a database")]
    #[classify(with = of_kind)]
    Failed(steadfast::Kind),
    #[error(transparent)]
    #[classify(transparent)]
    Unit(#[from] UnitFailure),
}

#[allow(clippy::unnecessary_wraps, clippy::trivially_copy_pass_by_ref)] // the form that `with` names
fn of_kind(kind: &steadfast::Kind) -> Option<steadfast::Failure> {
    Some(steadfast::Failure::of(*kind))
}

/// When each run began, in milliseconds since the first.
struct Starts {
    start: Instant,
    at: RefCell<Vec<u128>>,
}

impl Starts {
    fn new() -> Self {
        Self { start: Instant::now(), at: RefCell::default() }
    }

    fn note(&self) {
        self.at.borrow_mut().push(self.start.elapsed().as_millis());
    }

    fn told(&self) -> Vec<u128> {
        self.at.borrow().clone()
    }
}
