//! What a unit does once it is committed.

use std::fmt::Display;

use futures_core::future::BoxFuture;

use super::{Engine, Tx};

/// Futures to run after an acknowledged COMMIT, in the order in which they were given.
#[derive(Default)]
pub(super) struct Hooks(Vec<BoxFuture<'static, ()>>);

impl Hooks {
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

impl<DB: Engine> Tx<'_, DB> {
    /// Runs `hook` once, after COMMIT was acknowledged and the connection given back, and before the unit returns.
    ///
    /// It does not run when the attempt is rolled back or replayed, when the savepoint that it was given in is undone, or when
    /// the unit is in doubt. Its error is logged and counted; it is never classified, and the unit stays committed. What must
    /// happen even if the process dies here belongs into the transaction, as a row of an outbox.
    ///
    /// ```
    /// use steadfast::sqlite::Tx;
    ///
    /// async fn rename(tx: &mut Tx<'_>, cache: std::sync::Arc<std::sync::Mutex<Vec<i64>>>, id: i64) -> sqlx::Result<()> {
    ///     sqlx::query("update names set name = 'new' where id = $1").bind(id).execute(&mut *tx).await?;
    ///     tx.after_commit(async move {
    ///         cache.lock().unwrap().retain(|cached| *cached != id);
    ///         Ok::<_, std::convert::Infallible>(())
    ///     });
    ///     Ok(())
    /// }
    /// ```
    pub fn after_commit<F, E>(&mut self, hook: F)
    where
        F: Future<Output = Result<(), E>> + Send + 'static,
        E: Display + 'static,
    {
        self.seen.hooks.0.push(Box::pin(async move {
            if let Err(error) = hook.await {
                crate::telemetry::units::hook_failed(&error);
            }
        }));
    }
}
