//! `sqlx::Executor` for `&mut Tx`: the statements of a body, seen on their way.

use std::{
    mem,
    task::{Context, Poll},
};

use futures_core::{future::BoxFuture, stream::BoxStream};
use futures_util::{FutureExt, StreamExt, future, stream};
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
    seen.before::<DB>(sql.as_str())?;
    let raw = matches!(arguments, Ok(None));
    // With arguments, even none of them, the server itself refuses a second statement, wherever it was hidden.
    let arguments = if raw && !DB::DIALECT.many { Ok(Some(DB::Arguments::default())) } else { arguments };
    Ok(Looked { sql, statement, arguments, persistent })
}

/// A statement with one answer, which is looked at.
fn watched<'e, DB: Engine, T: 'e>(
    seen: &'e mut Seen,
    mut statement: BoxFuture<'e, Result<T, Error>>,
) -> BoxFuture<'e, Result<T, Error>> {
    let poll = move |cx: &mut Context<'_>| {
        let polled = statement.poll_unpin(cx);
        seen.unanswered = polled.is_pending();
        if let Poll::Ready(Err(error)) = &polled {
            seen.error::<DB>(error);
        }
        polled
    };
    future::poll_fn(poll).boxed()
}

/// A statement with many answers, each of which is looked at. After the first one its reader may leave.
fn watched_stream<'e, DB: Engine, T: 'e>(
    seen: &'e mut Seen,
    mut statement: BoxStream<'e, Result<T, Error>>,
) -> BoxStream<'e, Result<T, Error>> {
    let mut answered = false;
    let poll = move |cx: &mut Context<'_>| {
        let polled = statement.poll_next_unpin(cx);
        answered |= polled.is_ready();
        seen.unanswered = !answered;
        if let Poll::Ready(Some(Err(error))) = &polled {
            seen.error::<DB>(error);
        }
        polled
    };
    stream::poll_fn(poll).boxed()
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
                    Ok(query) => watched_stream::<$DB, _>(seen, (&mut **connection).fetch_many(query)),
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
                    Ok(query) => watched::<$DB, _>(seen, (&mut **connection).fetch_optional(query)),
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
                match seen.before::<$DB>(sql.as_str()) {
                    Ok(()) => watched::<$DB, _>(seen, (&mut **connection).prepare_with(sql, parameters)),
                    Err(refused) => future::err(refused).boxed(),
                }
            }

            #[doc(hidden)] // there because `sqlx-core/offline` is on
            fn describe<'e>(self, sql: SqlStr) -> BoxFuture<'e, Result<sqlx::Describe<$DB>, Error>>
            where
                't: 'e,
            {
                let Tx { connection, seen } = self;
                watched::<$DB, _>(seen, (&mut **connection).describe(sql))
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
