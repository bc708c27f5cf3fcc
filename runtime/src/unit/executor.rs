//! `sqlx::Executor` for `&mut Tx`: the statements of a body, seen on their way.

use std::mem;

use futures_core::{future::BoxFuture, stream::BoxStream};
use futures_util::{FutureExt, StreamExt, TryFutureExt, TryStreamExt, future, stream};
use sqlx::{Database, Either, Error, Execute, Executor, SqlStr, error::BoxDynError};

use super::{Engine, Tx, tx::Seen};

/// A query taken apart, so that its text could be looked at.
struct Looked<DB: Database> {
    sql: SqlStr,
    statement: Option<DB::Statement>,
    arguments: Result<Option<DB::Arguments>, BoxDynError>,
    persistent: bool,
}

impl<DB: Database> Execute<'_, DB> for Looked<DB>
where
    DB::Arguments: Send,
{
    fn sql(self) -> SqlStr {
        self.sql
    }

    fn statement(&self) -> Option<&DB::Statement> {
        self.statement.as_ref()
    }

    fn take_arguments(&mut self) -> Result<Option<DB::Arguments>, BoxDynError> {
        mem::replace(&mut self.arguments, Ok(None))
    }

    fn persistent(&self) -> bool {
        self.persistent
    }
}

fn look<'q, DB: Engine>(seen: &mut Seen, mut query: impl Execute<'q, DB>) -> Result<Looked<DB>, Error> {
    let (statement, arguments) = (query.statement().cloned(), query.take_arguments());
    let persistent = query.persistent();
    let sql = query.sql();
    seen.before::<DB>(sql.as_str(), matches!(arguments, Ok(None)))?;
    Ok(Looked { sql, statement, arguments, persistent })
}

/// One `impl` an engine: over all of them at once rustc cannot normalize `&mut DB::Connection: Executor` (sqlx's own
/// transaction has the same note).
macro_rules! executor {
    ($DB:ty) => {
        impl<'t> Executor<'t> for &'t mut Tx<'_, $DB> {
            type Database = $DB;

            fn fetch_many<'e, 'q: 'e, E>(
                self,
                query: E,
            ) -> BoxStream<'e, Result<Either<<$DB as Database>::QueryResult, <$DB as Database>::Row>, Error>>
            where
                't: 'e,
                E: 'q + Execute<'q, $DB>,
            {
                let Tx { connection, seen } = self;
                match look(seen, query) {
                    Ok(query) => {
                        (&mut **connection).fetch_many(query).inspect_err(|error| seen.error::<$DB>(error)).boxed()
                    }
                    Err(refused) => stream::once(future::err(refused)).boxed(),
                }
            }

            fn fetch_optional<'e, 'q: 'e, E>(
                self,
                query: E,
            ) -> BoxFuture<'e, Result<Option<<$DB as Database>::Row>, Error>>
            where
                't: 'e,
                E: 'q + Execute<'q, $DB>,
            {
                let Tx { connection, seen } = self;
                match look(seen, query) {
                    Ok(query) => {
                        (&mut **connection).fetch_optional(query).inspect_err(|error| seen.error::<$DB>(error)).boxed()
                    }
                    Err(refused) => future::err(refused).boxed(),
                }
            }

            fn prepare_with<'e>(
                self,
                sql: SqlStr,
                parameters: &'e [<$DB as Database>::TypeInfo],
            ) -> BoxFuture<'e, Result<<$DB as Database>::Statement, Error>>
            where
                't: 'e,
            {
                let Tx { connection, seen } = self;
                match seen.before::<$DB>(sql.as_str(), false) {
                    Ok(()) => (&mut **connection)
                        .prepare_with(sql, parameters)
                        .inspect_err(|error| seen.error::<$DB>(error))
                        .boxed(),
                    Err(refused) => future::err(refused).boxed(),
                }
            }

            #[doc(hidden)] // there because `sqlx-core/offline` is on
            fn describe<'e>(self, sql: SqlStr) -> BoxFuture<'e, Result<sqlx::Describe<$DB>, Error>>
            where
                't: 'e,
            {
                let Tx { connection, seen } = self;
                (&mut **connection).describe(sql).inspect_err(|error| seen.error::<$DB>(error)).boxed()
            }
        }
    };
}

#[cfg(feature = "mysql")]
executor!(sqlx::MySql);
#[cfg(feature = "postgres")]
executor!(sqlx::Postgres);
#[cfg(feature = "sqlite")]
executor!(sqlx::Sqlite);
