//! Leases in the application's SQLite file.

use futures_util::FutureExt as _;
use sqlx::{Error, SqlStr, Sqlite, SqliteConnection};

use super::{
    claim_text,
    database::{DatabaseLeases, LeaseEngine},
    error::{LeaseError, LeaseErrorKind},
    pool::told,
    protocol::Row,
    row::read_row,
    sql::{self, Statements, Value},
    store::{Claim, Claimed},
    text,
    upsert::{self, Upserts},
};
use crate::{schema, sql::assembled};

/// Leases in the table `jobs_leases` of an SQLite database, 3.37 or newer.
///
/// ```
/// # use sqlx::sqlite::SqlitePoolOptions;
/// use steadfast::SqliteLeases;
/// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
/// # let pool = SqlitePoolOptions::new().max_connections(1).connect("sqlite::memory:").await?;
/// let leases = SqliteLeases::new(&pool);
/// leases.install().await?;                 // or run `steadfast::schema::leases::SQLITE` with your migrations
///
/// let others = SqliteLeases::new(&pool).table("billing_leases")?;
/// println!("{}", others.schema());         // for the migrations, under that name
/// assert!(SqliteLeases::new(&pool).table("leases; drop table users").is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(()) }).unwrap();
/// ```
pub type SqliteLeases = DatabaseLeases<Sqlite>;

impl LeaseEngine for Sqlite {
    /// `unixepoch('subsec')` would need SQLite 3.42.
    const CLOCK: &'static str = text::SQLITE_CLOCK;
    const QUOTE: char = '"';
    const SCHEMA: &'static str = schema::leases::SQLITE;

    type Claims = Upserts;

    fn statements(clock: &str, table: &str) -> (Upserts, Statements) {
        let clock = format!("CAST({clock} AS BIGINT)");
        (Upserts::new(&clock, table), Statements::new(&clock, table, claim_text::ON_CONFLICT, Self::mark))
    }

    async fn claim(
        connection: &mut SqliteConnection,
        leases: &DatabaseLeases<Self>,
        claim: &Claim<'_>,
    ) -> Result<Claimed, Error> {
        upsert::claim(connection, leases, claim).await
    }

    async fn read(
        connection: &mut SqliteConnection,
        statement: &SqlStr,
        name: &str,
    ) -> Result<(i64, Option<Row>), Error> {
        read_row::<Self>(connection, statement, name).await
    }

    async fn write(connection: &mut SqliteConnection, statement: &SqlStr, values: &[Value<'_>]) -> Result<(), Error> {
        sql::write::<Self>(connection, statement, values).await
    }

    /// No server can be silent here, and locks are waited for by the connection's own `busy_timeout`.
    fn in_time<T: Send>(
        answer: impl Future<Output = Result<T, Error>> + Send,
    ) -> impl Future<Output = Option<Result<T, Error>>> + Send {
        answer.map(Some)
    }

    /// "no such table" has the code of every mistake in a statement (1), so the table is looked at instead.
    async fn explained(connection: &mut SqliteConnection, table: &str, error: LeaseError) -> LeaseError {
        if error.database_code() != Some("1") {
            return error;
        }
        let (schema, name) = match table.split_once('.') {
            Some((schema, name)) => (Some(schema), name),
            None => (None, table),
        };
        match sqlx::query_scalar::<_, i64>(assembled(text::sqlite_columns("$1, $2")))
            .bind(name)
            .bind(schema)
            .fetch_one(connection)
            .await
        {
            Ok(text::SQLITE_COLUMNS) => error,
            Ok(_) => LeaseError::new(LeaseErrorKind::MissingTable),
            Err(error) => told(error),
        }
    }

    /// One statement, one write transaction of its own: nothing is left open when the caller gives up.
    async fn create(connection: &mut SqliteConnection, text: String) -> Result<(), Error> {
        sqlx::raw_sql(assembled(text)).execute(connection).await.map(drop)
    }
}
