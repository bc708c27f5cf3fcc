//! SQLite: extended codes and what they mean. The table stands in `docs/classification.md`.

use std::{
    pin::Pin,
    task::{Context, Poll, ready},
};

use futures_core::future::BoxFuture;
use sqlx::{Connection, Error, Pool, SqlSafeStr, SqlStr, Sqlite, SqliteConnection, pool::PoolConnection};
use sqlx_core::transaction::TransactionManager;

use super::{
    Fence,
    control::{Dialect, Lexis, Reader, Refusal},
    engine::{Engine, Unsettled, Verdict, client_verdict, evict, keep, sealed::Sealed},
    fence, options, receipt,
};
use crate::{
    retry::{BeginMode, Kind, Settings},
    schema::quoted,
    sql::assembled,
};

impl Sealed for Sqlite {}

impl options::BeginsByMode for Sqlite {}

impl Engine for Sqlite {
    // `query("insert …; insert …")` runs both.
    const DIALECT: Dialect = Dialect { many: true, compound: false, lexis: Lexis::Standard, refuses: refused };

    async fn acquire(pool: &Pool<Self>) -> Result<PoolConnection<Self>, Error> {
        if lives_in_its_connection(pool) { Finished::new(pool.acquire()).await } else { pool.acquire().await }
    }

    fn begin(settings: &Settings) -> SqlStr {
        // Every transaction is serializable here, so a level asks for nothing more.
        let begin = match settings.begin {
            // There is no READ ONLY transaction. The pragma makes the engine refuse a write all the same, and DEFERRED
            // takes no write lock.
            _ if settings.reads_only() => "BEGIN DEFERRED; PRAGMA query_only = ON",
            Some(BeginMode::Deferred) => "BEGIN DEFERRED",
            Some(BeginMode::Exclusive) => "BEGIN EXCLUSIVE",
            // A transaction that reads first and writes later fails with BUSY at once, whatever `busy_timeout` says.
            Some(BeginMode::Immediate) | None => "BEGIN IMMEDIATE",
        };
        begin.into_sql_str()
    }

    fn verdict(error: &Error) -> Verdict {
        let Some(code) = code(error) else { return client_verdict(error) };
        match (code & 0xff, code) {
            // BUSY with its variants, and LOCKED_SHAREDCACHE; plain LOCKED is a statement of one's own in the way.
            (5, _) | (_, 262) => keep(Kind::LockTimeout),
            // NOMEM, INTERRUPT, IOERR, FULL: the engine may have rolled back by itself. CORRUPT, NOTADB, READONLY_DBMOVED.
            (7 | 9 | 10 | 13 | 11 | 26, _) | (_, 1032) => evict(Kind::Other),
            _ => keep(Kind::Other),
        }
    }

    /// No lock but the writer's: a unit that reads first and is overtaken is refused when it writes, and replayed.
    fn fence(table: &str) -> SqlStr {
        let table = quoted(table, '"');
        assembled(format!("SELECT 1 FROM {table} WHERE name = $1 AND holder = $2 AND last_slot = $3"))
    }

    async fn holds(connection: &mut SqliteConnection, fence: &Fence<Self>) -> Result<bool, Error> {
        fence::holds(connection, fence).await
    }

    async fn claim_receipt(connection: &mut SqliteConnection, unit: &str, key: &str, now: i64) -> Result<bool, Error> {
        receipt::claim::<Self>(connection, receipt::INSERT_RETURNING, unit, key, now).await
    }

    async fn read_receipt(connection: &mut SqliteConnection, unit: &str, key: &str) -> Result<String, Error> {
        receipt::read::<Self>(connection, receipt::SELECT, unit, key).await
    }

    async fn write_receipt(
        connection: &mut SqliteConnection,
        unit: &str,
        key: &str,
        result: &str,
    ) -> Result<(), Error> {
        receipt::write::<Self>(connection, receipt::UPDATE, unit, key, result).await
    }

    async fn prune_receipts(pool: &Pool<Self>, before: i64) -> Result<u64, Error> {
        sqlx::query(receipt::DELETE).bind(before).execute(pool).await.map(|done| done.rows_affected())
    }

    async fn install_receipts(pool: &Pool<Self>) -> Result<(), Error> {
        sqlx::raw_sql(crate::schema::receipts::SQLITE).execute(pool).await.map(drop)
    }

    fn refuses_commit(error: &Error) -> bool {
        // BUSY (a reader is in the way) and CONSTRAINT (a deferred foreign key) leave the transaction open.
        code(error).is_some_and(|code| matches!(code & 0xff, 5 | 19))
    }

    fn had_ended(error: &Error) -> bool {
        // "cannot rollback - no transaction is active"
        code(error) == Some(1)
    }

    async fn restore(connection: &mut SqliteConnection) -> Result<(), Error> {
        sqlx::raw_sql("PRAGMA query_only = OFF").execute(connection).await.map(drop)
    }

    /// An in-memory database lives in its connection, so the connection is kept once it reports that it is outside of a
    /// transaction. What was cancelled still runs on the connection's own thread: the statements here queue behind it.
    async fn settle(connection: &mut SqliteConnection) -> Result<(), Unsettled> {
        match sqlx::raw_sql("ROLLBACK").execute(&mut *connection).await {
            Err(error) if !Self::had_ended(&error) => return Err(Unsettled),
            _ => {}
        }
        if connection.is_in_transaction() {
            // The engine rolled back by itself and sqlx still counts a transaction: give it one that it can end.
            sqlx::raw_sql("BEGIN").execute(&mut *connection).await.map_err(|_| Unsettled)?;
            <Self as sqlx::Database>::TransactionManager::rollback(&mut *connection).await.map_err(|_| Unsettled)?;
        }
        Self::restore(connection).await.map_err(|_| Unsettled)
    }

    fn discard(mut connection: PoolConnection<Self>) {
        let Ok(runtime) = tokio::runtime::Handle::try_current() else { return connection.close_on_drop() };
        runtime.spawn(async move {
            if Self::settle(&mut connection).await.is_err() {
                connection.close_on_drop();
            }
        });
    }
}

/// It would switch off what makes the engine refuse the writes of a reading unit.
fn refused(reader: Reader, sql: &str) -> Option<Refusal> {
    let pragma = reader.word(sql).0.eq_ignore_ascii_case("PRAGMA");
    (pragma && sql.to_ascii_lowercase().contains("query_only")).then_some(Refusal::Control("PRAGMA query_only"))
}

fn code(error: &Error) -> Option<i32> {
    error.as_database_error()?.code()?.parse().ok()
}

/// Whether the database is gone when its connection is closed.
fn lives_in_its_connection(pool: &Pool<Sqlite>) -> bool {
    let options = pool.connect_options();
    // Bytes, since this is asked before every attempt.
    let name = options.get_filename().as_os_str().as_encoded_bytes();
    // The first is what sqlx makes of `sqlite::memory:`.
    name.starts_with(b"file:sqlx-in-memory-")
        || name == b":memory:"
        || name.starts_with(b"file:") && name.windows(11).any(|part| part == b"mode=memory")
}

type Acquiring = BoxFuture<'static, Result<PoolConnection<Sqlite>, Error>>;

/// Goes on when it is dropped: sqlx closes an idle connection whose check is interrupted.
struct Finished(Option<Acquiring>);

impl Finished {
    fn new(acquiring: impl Future<Output = Result<PoolConnection<Sqlite>, Error>> + Send + 'static) -> Self {
        Self(Some(Box::pin(acquiring)))
    }
}

impl Future for Finished {
    type Output = Result<PoolConnection<Sqlite>, Error>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let Some(acquiring) = &mut self.0 else { return Poll::Pending };
        let acquired = ready!(acquiring.as_mut().poll(cx));
        self.0 = None;
        Poll::Ready(acquired)
    }
}

impl Drop for Finished {
    fn drop(&mut self) {
        if let (Some(acquiring), Ok(runtime)) = (self.0.take(), tokio::runtime::Handle::try_current()) {
            runtime.spawn(acquiring);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{super::control::examine, Engine, Refusal, Sqlite};

    #[test]
    fn query_only_stays_on() {
        for (sql, refused) in [("pragma main.QUERY_ONLY = off", true), ("pragma table_info(t)", false)] {
            let expected = if refused { Err(Refusal::Control("PRAGMA query_only")) } else { Ok(()) };
            assert_eq!(examine(sql, &Sqlite::DIALECT), expected, "{sql}");
        }
    }
}
