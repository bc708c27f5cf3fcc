//! sea-orm on the transaction of a unit.

use std::{error::Error as StdError, fmt};

// Not tokio's: that one hands the lock to the first in its queue, also while nobody polls it.
use futures_util::lock::Mutex;
use sea_orm::{
    ConnectionTrait, DbBackend, DbErr, ExecResult, QueryResult, RuntimeErr, Statement, Values, prelude::async_trait,
};
use sea_query_sqlx::SqlxValues;
use sqlx::{Database, Error, Executor, IntoArguments, query::Query};

use super::{Engine, Tx};
use crate::{
    retry::{Classify, Failure},
    sql::assembled,
};

/// The transaction of a unit for sea-orm: what `.one(&db)`, `.insert(&db)` and their like take. [`Tx::orm`] makes it.
///
/// It is a [`ConnectionTrait`], so functions of yours take `&impl ConnectionTrait` or name it through the module of your database:
/// `steadfast::sqlite::Orm`, `steadfast::postgres::Orm`, `steadfast::mysql::Orm`. Its statements are statements of the [`Tx`]: the
/// first one that the database refuses ends the unit, and `COMMIT` and its like are refused.
///
/// Statements under a `join!` wait for each other. One that is begun and then left without being polled keeps the others waiting,
/// as in sea-orm's own transaction: await it, or drop it, which ends the unit.
///
/// There is no [`TransactionTrait`](sea_orm::TransactionTrait): a transaction inside of a unit is [`Tx::savepoint`], whose error holds
/// sqlx's as well as sea-orm's. What needs that trait does not compile: `.begin()`, and an `ActiveModelEx`, which saves a whole graph.
/// Nor is there a `StreamTrait`: `.all(&db)`, or `.paginate(&db, …)` where that is too much at once.
///
#[cfg_attr(feature = "sqlite", doc = "```")]
#[cfg_attr(not(feature = "sqlite"), doc = "```ignore")]
/// use sea_orm::{ConnectionTrait, DbErr, EntityTrait, PaginatorTrait};
///
/// /// Runs in a unit, on `&tx.orm()`, and outside of one, on a `DatabaseConnection`.
/// async fn count<E: EntityTrait>(db: &impl ConnectionTrait) -> Result<u64, DbErr>
/// where
///     E::Model: Sync,
/// {
///     E::find().count(db).await
/// }
/// ```
pub struct Orm<'t, DB: Engine>(Mutex<Tx<'t, DB>>);

impl<DB: Engine> fmt::Debug for Orm<'_, DB> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Orm").finish_non_exhaustive()
    }
}

impl<DB: Engine> Tx<'_, DB> {
    /// The transaction for sea-orm's entities and queries, until the returned value is no longer used.
    ///
    /// sqlx's statements and sea-orm's may take turns on it. A unit is called with sqlx's pool, which
    /// `DatabaseConnection::get_sqlite_connection_pool` and its like give out; the `DatabaseConnection` itself is refused as an
    /// argument (`docs/rules.md#wrap-exactly-the-unit`).
    ///
    #[cfg_attr(feature = "sqlite", doc = "```")]
    #[cfg_attr(not(feature = "sqlite"), doc = "```ignore")]
    /// # mod retry { pub use steadfast::policy::*; }
    /// use sea_orm::{ConnectionTrait, DbErr, sea_query::{Expr, ExprTrait, Query}};
    /// use steadfast::{Classify, UnitFailure, atomic_unit, sqlite::Tx};
    ///
    /// #[derive(Debug, thiserror::Error, Classify)]
    /// enum TrialError {
    ///     #[error(transparent)]
    ///     #[classify(transparent)]
    ///     Orm(#[from] DbErr),
    ///     #[error(transparent)]
    ///     #[classify(transparent)]
    ///     Unit(#[from] UnitFailure),
    /// }
    ///
    /// #[atomic_unit(retry = contention)]
    /// async fn close(tx: &mut Tx<'_>, trial: i64) -> Result<(), TrialError> {
    ///     let db = tx.orm();                    // `trial::Entity::find_by_id(trial).one(&db)` and its like take it as well
    ///     let close = Query::update().table("trials").value("closed", 1).and_where(Expr::col("id").eq(trial)).to_owned();
    ///     db.execute(&close).await?;
    ///     Ok(())
    /// }
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> anyhow::Result<()> {
    /// # let db = sqlx::SqlitePool::connect("sqlite::memory:").await?;
    /// # sqlx::query("create table trials (id integer primary key, closed integer)").execute(&db).await?;
    /// # sqlx::query("insert into trials values (1, 0)").execute(&db).await?;
    /// # close(&db, 1).await?;
    /// # assert_eq!(sqlx::query_scalar::<_, i64>("select closed from trials").fetch_one(&db).await?, 1);
    /// # Ok(())
    /// # }
    /// ```
    pub fn orm(&mut self) -> Orm<'_, DB> {
        Orm(Mutex::new(Tx { connection: &mut *self.connection, seen: &mut *self.seen }))
    }
}

fn query<DB: Database>(statement: Statement) -> Query<'static, DB, SqlxValues>
where
    SqlxValues: IntoArguments<DB>,
{
    sqlx::query_with(assembled(statement.sql), SqlxValues(statement.values.unwrap_or(Values(Vec::new()))))
}

fn runtime_error(error: Error) -> RuntimeErr {
    RuntimeErr::SqlxError(error.into())
}

/// One `impl` an engine, as for `Executor`.
macro_rules! connection {
    ($DB:ident) => {
        #[async_trait::async_trait]
        impl ConnectionTrait for Orm<'_, sqlx::$DB> {
            fn get_database_backend(&self) -> DbBackend {
                DbBackend::$DB
            }

            async fn execute_raw(&self, statement: Statement) -> Result<ExecResult, DbErr> {
                let done = self.0.lock().await.execute(query(statement)).await;
                done.map(Into::into).map_err(|error| DbErr::Exec(runtime_error(error)))
            }

            async fn execute_unprepared(&self, sql: &str) -> Result<ExecResult, DbErr> {
                let done = self.0.lock().await.execute(sqlx::raw_sql(assembled(sql.to_owned()))).await;
                done.map(Into::into).map_err(|error| DbErr::Exec(runtime_error(error)))
            }

            async fn query_one_raw(&self, statement: Statement) -> Result<Option<QueryResult>, DbErr> {
                let row = self.0.lock().await.fetch_optional(query(statement)).await;
                row.map(|row| row.map(Into::into)).map_err(|error| DbErr::Query(runtime_error(error)))
            }

            async fn query_all_raw(&self, statement: Statement) -> Result<Vec<QueryResult>, DbErr> {
                let rows = self.0.lock().await.fetch_all(query(statement)).await;
                rows.map(|rows| rows.into_iter().map(Into::into).collect())
                    .map_err(|error| DbErr::Query(runtime_error(error)))
            }
        }
    };
}

#[cfg(feature = "mysql")]
connection!(MySql);
#[cfg(feature = "postgres")]
connection!(Postgres);
#[cfg(feature = "sqlite")]
connection!(Sqlite);

/// As the error of sqlx that it holds; every other one is a domain error.
impl Classify for DbErr {
    fn failure(&self) -> Option<Failure> {
        beneath(self.source()?)?.failure()
    }
}

/// What sea-orm keeps out of the chain of sources: the driver's error, behind a source that has none itself.
pub(crate) fn beneath<'a>(error: &'a (dyn StdError + 'static)) -> Option<&'a Error> {
    let RuntimeErr::SqlxError(error) = error.downcast_ref()? else { return None };
    Some(error)
}
