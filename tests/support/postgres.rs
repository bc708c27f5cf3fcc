//! A schema of its own per test, on the PostgreSQL server that `tests/run` starts.

use std::env;

use sqlx::{
    AssertSqlSafe, ConnectOptions, Connection, PgPool,
    postgres::{PgConnectOptions, PgPoolOptions},
};

/// The variable that names the server.
pub const URL: &str = "STEADFAST_POSTGRES_URL";

/// How to reach the server.
///
/// # Panics
/// When the variable is absent or is no PostgreSQL URL.
#[must_use]
pub fn server() -> PgConnectOptions {
    let url = env::var(URL).unwrap_or_else(|_| {
        panic!("{URL} is not set: this test needs PostgreSQL; run `tests/run`, which starts a server and sets it")
    });
    crate::tally::note("postgres");
    // The text of the error may quote the URL, and with it a password.
    url.parse().unwrap_or_else(|_| panic!("{URL} is not of the form `postgres://user@127.0.0.1:5432/database`"))
}

/// An empty schema that is dropped with this value, and a pool that sees only it.
#[derive(Debug)]
pub struct Database {
    pool: PgPool,
    server: PgConnectOptions,
    schema: String,
}

impl Database {
    /// A new schema; ten connections.
    pub async fn create() -> Self {
        Self::with(10).await
    }

    /// A new schema with a pool of so many connections.
    ///
    /// # Panics
    /// When the server is not there or refuses.
    pub async fn with(max_connections: u32) -> Self {
        Self::on(server(), max_connections).await
    }

    /// A new schema on a server of the caller's own.
    ///
    /// # Panics
    /// When the server is not there or refuses.
    pub async fn on(server: PgConnectOptions, max_connections: u32) -> Self {
        let schema = crate::fresh_name();
        execute(&server, format!("CREATE SCHEMA {schema}"))
            .await
            .unwrap_or_else(|error| panic!("cannot create the schema {schema}: {error}"));
        let pool = PgPoolOptions::new().max_connections(max_connections).connect_lazy_with(inside(&server, &schema));
        Self { pool, server, schema }
    }

    /// The pool that came with the schema.
    #[must_use]
    pub fn pool(&self) -> &PgPool {
        &self.pool
    }

    /// The schema's name, which needs no quotes.
    #[must_use]
    pub fn schema(&self) -> &str {
        &self.schema
    }

    /// How to connect so that the schema is the one that unqualified names mean.
    #[must_use]
    pub fn options(&self) -> PgConnectOptions {
        inside(&self.server, &self.schema)
    }
}

impl Drop for Database {
    fn drop(&mut self) {
        let server = self.server.clone().options([("lock_timeout", "1s")]);
        let sql = format!("DROP SCHEMA IF EXISTS {} CASCADE", self.schema);
        crate::clean_up(async move { execute(&server, sql).await });
    }
}

fn inside(server: &PgConnectOptions, schema: &str) -> PgConnectOptions {
    server.clone().options([("search_path", schema)])
}

async fn execute(server: &PgConnectOptions, sql: String) -> sqlx::Result<()> {
    let mut connection = server.connect().await?;
    sqlx::raw_sql(AssertSqlSafe(sql)).execute(&mut connection).await?;
    connection.close().await
}

#[cfg(test)]
mod tests {
    use super::{Database, server};
    use sqlx::{ConnectOptions, Connection};

    #[tokio::test]
    #[ignore = "needs PostgreSQL: tests/run"]
    async fn a_schema_is_private_and_goes_away() {
        let (one, other) = tokio::join!(Database::create(), Database::create());
        sqlx::query("CREATE TABLE t (n BIGINT)").execute(one.pool()).await.unwrap();
        assert!(sqlx::query("SELECT n FROM t").fetch_all(other.pool()).await.is_err());
        let schema = one.schema().to_owned();
        one.pool().close().await;
        drop(one);
        let mut connection = server().connect().await.unwrap();
        let left: i64 = sqlx::query_scalar("SELECT count(*) FROM pg_namespace WHERE nspname = $1")
            .bind(&schema)
            .fetch_one(&mut connection)
            .await
            .unwrap();
        assert_eq!(left, 0);
        connection.close().await.unwrap();
    }
}
