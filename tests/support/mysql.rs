//! A database of its own per test, on the MariaDB server that `tests/run` starts.

use std::env;

use sqlx::{
    AssertSqlSafe, ConnectOptions, Connection, MySqlPool,
    mysql::{MySqlConnectOptions, MySqlPoolOptions},
};

/// The variable that names the server.
pub const URL: &str = "STEADFAST_MYSQL_URL";

/// The variable that names another one, which runs with `innodb_rollback_on_timeout`: no session can choose that.
pub const ROLLBACK_URL: &str = "STEADFAST_MYSQL_ROLLBACK_URL";

/// How to reach a server.
///
/// # Panics
/// When the variable is absent or is no MySQL URL.
#[must_use]
pub fn server(variable: &str) -> MySqlConnectOptions {
    let url = env::var(variable).unwrap_or_else(|_| {
        panic!("{variable} is not set: this test needs MariaDB; run `tests/run`, which starts a server and sets it")
    });
    crate::tally::note("mysql");
    // The text of the error may quote the URL, and with it a password.
    url.parse().unwrap_or_else(|_| panic!("{variable} is not of the form `mysql://user@127.0.0.1:3306`"))
}

/// An empty database that is dropped with this value, and a pool inside it.
#[derive(Debug)]
pub struct Database {
    pool: MySqlPool,
    server: MySqlConnectOptions,
    name: String,
}

impl Database {
    /// A new database; ten connections.
    pub async fn create() -> Self {
        Self::with(10).await
    }

    /// A new database with a pool of so many connections.
    pub async fn with(max_connections: u32) -> Self {
        Self::on(server(URL), max_connections).await
    }

    /// A new database on a server of the caller's own.
    ///
    /// # Panics
    /// When the server is not there or refuses.
    pub async fn on(server: MySqlConnectOptions, max_connections: u32) -> Self {
        let name = crate::fresh_name();
        execute(&server, format!("CREATE DATABASE {name}"))
            .await
            .unwrap_or_else(|error| panic!("cannot create the database {name}: {error}"));
        let options = server.clone().database(&name);
        let pool = MySqlPoolOptions::new().max_connections(max_connections).connect_lazy_with(options);
        Self { pool, server, name }
    }

    /// The pool that came with the database.
    #[must_use]
    pub fn pool(&self) -> &MySqlPool {
        &self.pool
    }

    /// How to connect to the database.
    #[must_use]
    pub fn options(&self) -> MySqlConnectOptions {
        self.server.clone().database(&self.name)
    }
}

impl Drop for Database {
    fn drop(&mut self) {
        let server = self.server.clone();
        let sql = format!("SET STATEMENT lock_wait_timeout = 1 FOR DROP DATABASE IF EXISTS {}", self.name);
        crate::clean_up(async move { execute(&server, sql).await });
    }
}

async fn execute(server: &MySqlConnectOptions, sql: String) -> sqlx::Result<()> {
    let mut connection = server.connect().await?;
    sqlx::raw_sql(AssertSqlSafe(sql)).execute(&mut connection).await?;
    connection.close().await
}

#[cfg(test)]
mod tests {
    use super::{Database, URL, server};
    use sqlx::{ConnectOptions, Connection};

    #[tokio::test]
    #[ignore = "needs MariaDB: tests/run"]
    async fn a_database_is_private_and_goes_away() {
        let (one, other) = tokio::join!(Database::create(), Database::create());
        sqlx::query("CREATE TABLE t (n BIGINT)").execute(one.pool()).await.unwrap();
        assert!(sqlx::query("SELECT n FROM t").fetch_all(other.pool()).await.is_err());
        let name = one.name.clone();
        one.pool().close().await;
        drop(one);
        let mut connection = server(URL).connect().await.unwrap();
        let left: i64 = sqlx::query_scalar("SELECT count(*) FROM information_schema.schemata WHERE schema_name = ?")
            .bind(&name)
            .fetch_one(&mut connection)
            .await
            .unwrap();
        assert_eq!(left, 0);
        connection.close().await.unwrap();
    }
}
