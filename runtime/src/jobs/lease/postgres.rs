//! Leases in the application's PostgreSQL database.

use sqlx::{Error, PgConnection, Postgres, SqlStr};

use super::{
    claim_text,
    database::{DatabaseLeases, LeaseEngine},
    protocol::Row,
    row::read_row,
    sql::{self, Statements, Value},
    store::{Claim, Claimed},
    upsert::{self, Upserts},
};
use crate::schema;

/// Leases in the table `jobs_leases` of a PostgreSQL database, in the first schema of the connections' `search_path`.
///
/// ```no_run
/// use steadfast::PostgresLeases;
///
/// # async fn start(pool: sqlx::PgPool) -> Result<(), Box<dyn std::error::Error>> {
/// let leases = PostgresLeases::new(&pool);
/// leases.install().await?;                 // or run `steadfast::schema::leases::POSTGRES` with your migrations
///
/// let others = PostgresLeases::new(&pool).table("ops.billing_leases")?;
/// println!("{}", others.schema());         // for the migrations, under that name
/// # Ok(())
/// # }
/// ```
pub type PostgresLeases = DatabaseLeases<Postgres>;

impl LeaseEngine for Postgres {
    /// At the statement and not at the start of a transaction.
    const CLOCK: &'static str = "EXTRACT(EPOCH FROM clock_timestamp()) * 1000";
    const QUOTE: char = '"';
    const SCHEMA: &'static str = schema::leases::POSTGRES;

    type Claims = Upserts;

    fn statements(clock: &str, table: &str) -> (Upserts, Statements) {
        let clock = format!("CAST({clock} AS BIGINT)");
        (Upserts::new(&clock, table), Statements::new(&clock, table, claim_text::ON_CONFLICT, Self::mark))
    }

    async fn claim(
        connection: &mut PgConnection,
        leases: &DatabaseLeases<Self>,
        claim: &Claim<'_>,
    ) -> Result<Claimed, Error> {
        upsert::claim(connection, leases, claim).await
    }

    async fn read(connection: &mut PgConnection, statement: &SqlStr, name: &str) -> Result<(i64, Option<Row>), Error> {
        read_row::<Self>(connection, statement, name).await
    }

    async fn write(connection: &mut PgConnection, statement: &SqlStr, values: &[Value<'_>]) -> Result<(), Error> {
        sql::write::<Self>(connection, statement, values).await
    }

    async fn create(connection: &mut PgConnection, text: String) -> Result<(), Error> {
        sqlx::raw_sql(schema::under_lock(&text)).execute(connection).await.map(drop)
    }
}
