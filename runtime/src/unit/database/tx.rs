//! The transaction that a unit's body works with.

use std::fmt::Display;

use sqlx::Error;

use super::{
    Engine,
    causes::RefusedStatement,
    classify::code,
    control,
    engine::{Verdict, ends_unit},
    hooks::Hooks,
};
use crate::retry::Kind;

/// The transaction of an atomic unit: what its body, and the repository functions below it, run statements on.
///
/// Statements take `&mut *tx`, as with sqlx's own transaction; functions of yours take `&mut Tx<'_>` or, for both
/// transactions and pools, `impl SqliteExecutor<'_>` / `impl PgExecutor<'_>` / `impl MySqlExecutor<'_>`. Name it through the module of
/// your database: `steadfast::sqlite::Tx`, `steadfast::postgres::Tx`, `steadfast::mysql::Tx`.
///
/// It sees every statement. The first one that the database refuses ends the unit: no further statement runs, and COMMIT is
/// refused even if the body returns `Ok` (`docs/rules.md#the-first-failed-statement-ends-the-unit`). It cannot be committed, rolled
/// back or nested by hand: `COMMIT` and its like are refused as text.
///
/// ```
/// use steadfast::sqlite::Tx;
///
/// async fn close(tx: &mut Tx<'_>, trial: i64) -> sqlx::Result<()> {
///     sqlx::query("update trials set closed = 1 where id = $1").bind(trial).execute(&mut *tx).await?;
///     Ok(())
/// }
/// ```
pub struct Tx<'t, DB: Engine> {
    pub(super) connection: &'t mut DB::Connection,
    pub(super) seen: &'t mut Seen,
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
        self.seen.hooks.add(hook);
    }
}

impl<DB: Engine> std::fmt::Debug for Tx<'_, DB> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Tx").field("refused", &self.seen.refused).finish_non_exhaustive()
    }
}

/// What the transaction has seen of its statements.
#[derive(Debug, Default)]
pub(super) struct Seen {
    /// The first statement that was refused.
    pub(super) refused: Option<RefusedStatement>,
    /// Whether a statement was sent and nothing came back: dropped like that, nobody knows what it did, and SQLite may have
    /// rolled back with nobody there to be told.
    pub(super) unanswered: bool,
    /// Whether the connection is not to be used again.
    pub(super) evict: bool,
    /// What to do after COMMIT.
    pub(super) hooks: Hooks,
}

impl Seen {
    /// Looks at a statement before it is sent.
    pub(super) fn before<DB: Engine>(&mut self, sql: &str) -> Result<(), Error> {
        if self.refused.is_some() {
            return Err(Error::InvalidArgument(
                "an earlier statement of this atomic unit failed, so no further one is run; return its error".into(),
            ));
        }
        if self.unanswered {
            self.refused = Some(RefusedStatement { kind: Kind::Other, code: None });
            return Err(Error::InvalidArgument(
                "an earlier statement of this atomic unit was dropped before its answer, so no further one is run; await it".into(),
            ));
        }
        control::examine(sql, &DB::DIALECT).map_err(|refusal| {
            self.refused = Some(RefusedStatement { kind: Kind::Other, code: None });
            Error::InvalidArgument(refusal.to_string())
        })
    }

    /// Takes in the error of a statement that the runtime itself sent.
    pub(super) fn end<DB: Engine>(&mut self, error: Error) -> Error {
        self.error::<DB>(&error);
        error
    }

    /// Looks at the error of a statement.
    pub(super) fn error<DB: Engine>(&mut self, error: &Error) {
        let Verdict { kind, evict } = DB::verdict(error);
        self.evict |= evict;
        if ends_unit(error) && self.refused.is_none() {
            self.refused = Some(RefusedStatement { kind, code: code(error).map(Into::into) });
        }
    }
}
