//! What a unit does once it is committed.

use std::fmt::Display;

use crate::platform::{BoxFuture, MaybeSend};

/// Futures to run after an acknowledged COMMIT, in the order in which they were given.
#[derive(Default)]
pub(super) struct Hooks(Vec<BoxFuture<'static, ()>>);

impl Hooks {
    pub(super) fn add<F, E>(&mut self, hook: F)
    where
        F: Future<Output = Result<(), E>> + MaybeSend + 'static,
        E: Display + 'static,
    {
        self.0.push(Box::pin(async move {
            if let Err(error) = hook.await {
                crate::telemetry::units::hook_failed(&error);
            }
        }));
    }

    #[cfg(feature = "_database")]
    pub(super) fn append(&mut self, mut later: Self) {
        self.0.append(&mut later.0);
    }

    pub(super) async fn run(self) {
        for hook in self.0 {
            hook.await;
        }
    }
}

impl std::fmt::Debug for Hooks {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} hooks", self.0.len())
    }
}
