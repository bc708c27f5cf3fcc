//! A schema of its own per test, on the PostgreSQL server that `tests/run` starts.

use std::{env, net::TcpListener, time::Duration};

use sqlx::{
    AssertSqlSafe, ConnectOptions, Connection, PgPool,
    postgres::{PgConnectOptions, PgPoolOptions},
};
use tokio::process::{Child, Command};

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

/// The variable that holds the command of another server, which nobody has started: it wants `-p` and a port.
pub const SPARE: &str = "STEADFAST_POSTGRES_SPARE";

/// The server of [`SPARE`], for a test that stops and starts it. It ends with this value.
#[derive(Debug)]
pub struct Spare {
    port: u16,
    process: Option<Child>,
}

impl Spare {
    /// Starts it on a free port.
    ///
    /// # Panics
    /// When the variable is absent or the server does not start.
    pub async fn start() -> Self {
        crate::tally::note("postgres");
        let free = TcpListener::bind(("127.0.0.1", 0)).and_then(|listener| listener.local_addr());
        let mut spare = Self { port: free.expect("a free port").port(), process: None };
        spare.start_again().await;
        spare
    }

    /// Starts it after a [`stop`](Self::stop).
    ///
    /// # Panics
    /// When it does not answer within a minute.
    pub async fn start_again(&mut self) {
        let command = env::var(SPARE).unwrap_or_else(|_| panic!("{SPARE} is not set: run `tests/run`, which sets it"));
        let mut words = command.split(' ');
        let mut command = Command::new(words.next().expect("a program"));
        command.args(words).args(["-p", &self.port.to_string()]).kill_on_drop(true);
        let mut process = command.spawn().expect("the server starts");
        let answers = async {
            while self.options().connect().await.is_err() {
                // It refuses to start while a session of the one before, which was killed, has not ended.
                if process.try_wait().expect("its own process").is_some() {
                    process = command.spawn().expect("the server starts");
                }
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        };
        tokio::time::timeout(Duration::from_mins(1), answers).await.expect("the server answers");
        self.process = Some(process);
    }

    /// Ends it and waits until it has ended: `INT` ends every session first, `KILL` ends nothing.
    ///
    /// # Panics
    /// When it does not run.
    pub async fn stop(&mut self, signal: &str) {
        let mut process = self.process.take().expect("it runs");
        let pid = process.id().expect("it runs");
        let sent = Command::new("sh").args(["-c", &format!("kill -{signal} {pid}")]).status().await;
        assert!(sent.expect("sh is there").success());
        process.wait().await.expect("it ends");
    }

    /// How to reach it.
    #[must_use]
    pub fn options(&self) -> PgConnectOptions {
        PgConnectOptions::new_without_pgpass()
            .host("127.0.0.1")
            .port(self.port)
            .username("steadfast")
            .database("postgres")
    }
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
