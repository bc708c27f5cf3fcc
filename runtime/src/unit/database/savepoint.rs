//! Savepoints: the one way for a body to survive a statement that fails.

use sqlx::{Connection, Error, Transaction};

use super::{Engine, Tx, causes::RefusedStatement, tx::Seen};
use crate::retry::Kind;

impl<DB: Engine> Tx<'_, DB> {
    /// Runs `body` in a savepoint: what it did is kept on `Ok` and undone on `Err`, and the unit goes on in both cases.
    ///
    /// It is how a body survives a failure that it expects, such as a duplicate. Contention and a lost connection are none
    /// that a body could survive: they end the unit, which is replayed from its first line by its policy. The closure takes its
    /// transaction by value; a savepoint may hold another one.
    ///
    /// # Errors
    ///
    /// The body's own, and what refused the savepoint itself.
    ///
    /// ```
    /// use steadfast::sqlite::Tx;
    ///
    /// async fn create(tx: &mut Tx<'_>, name: &str) -> sqlx::Result<bool> {
    ///     let created = tx.savepoint(async |mut tx| {
    ///         sqlx::query("insert into names values ($1)").bind(name).execute(&mut tx).await
    ///     });
    ///     match created.await {
    ///         Ok(_) => Ok(true),
    ///         Err(sqlx::Error::Database(error)) if error.is_unique_violation() => Ok(false),
    ///         Err(error) => Err(error),
    ///     }
    /// }
    /// ```
    pub async fn savepoint<T, E, F>(&mut self, body: F) -> Result<T, E>
    where
        // By value: with `&mut Tx` there would be two lifetimes, and a unit that is spawned is "not general enough".
        F: for<'s> AsyncFnOnce(Tx<'s, DB>) -> Result<T, E>,
        E: From<Error>,
    {
        self.seen.before::<DB>("")?;
        let mut inside = Seen::default();
        let outside = &mut *self.seen;
        let mut savepoint = Connection::begin(&mut *self.connection).await.map_err(|error| outside.end::<DB>(error))?;
        let result = body(Tx { connection: &mut savepoint, seen: &mut inside }).await;
        let Seen { refused, unanswered, evict, hooks } = inside;
        outside.evict |= evict;
        outside.unanswered |= unanswered;
        match (result, refused) {
            (result, None) if unanswered => result,
            (Ok(value), None) => {
                savepoint.commit().await.map_err(|error| outside.end::<DB>(error))?;
                outside.hooks.append(hooks);
                Ok(value)
            }
            (Err(error), refused) if !unanswered && !refused.as_ref().is_some_and(is_fatal) => {
                undo(savepoint, outside).await?;
                Err(error)
            }
            // The transaction may be gone, or the body went on after a failure inside: the unit ends.
            (result, refused) => {
                outside.refused = refused;
                result
            }
        }
    }
}

async fn undo<DB: Engine>(savepoint: Transaction<'_, DB>, outside: &mut Seen) -> Result<(), Error> {
    savepoint.rollback().await.map_err(|error| outside.end::<DB>(error))
}

/// Whether the failure concerns the whole transaction: a replay of the savepoint alone would meet it again.
fn is_fatal(refused: &RefusedStatement) -> bool {
    refused.kind.is_contention() || refused.kind == Kind::ConnectionLost
}
