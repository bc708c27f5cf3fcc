//! A SQLite database in a temporary file.

use std::{
    path::{Path, PathBuf},
    time::Duration,
};

use sqlx::{
    SqlitePool,
    sqlite::{SqliteConnectOptions, SqliteJournalMode, SqlitePoolOptions},
};
use tempfile::TempDir;

/// A database file that is removed with this value.
#[derive(Debug)]
pub struct Database {
    pool: SqlitePool,
    path: PathBuf,
    _folder: TempDir,
}

impl Database {
    /// A new database: eight connections that wait five seconds for a lock.
    pub async fn create() -> Self {
        Self::with(8, Duration::from_secs(5)).await
    }

    /// A new database with so many connections, each of which waits so long for a lock.
    ///
    /// # Panics
    /// When the file cannot be made.
    pub async fn with(max_connections: u32, busy_timeout: Duration) -> Self {
        crate::tally::note("sqlite");
        let folder = tempfile::Builder::new().prefix("steadfast-").tempdir().expect("a temporary folder");
        let path = folder.path().join("test.db");
        let pool = open(&path, max_connections, busy_timeout).await;
        Self { pool, path, _folder: folder }
    }

    /// The pool that came with the database.
    #[must_use]
    pub fn pool(&self) -> &SqlitePool {
        &self.pool
    }

    /// The file, for a process that opens it by itself.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// One more pool on the same file, as a second replica would have.
    ///
    /// # Panics
    /// When the file cannot be opened.
    pub async fn another_pool(&self, max_connections: u32, busy_timeout: Duration) -> SqlitePool {
        open(&self.path, max_connections, busy_timeout).await
    }
}

/// How every connection to such a file is opened: WAL, made when absent.
#[must_use]
pub fn options(path: &Path, busy_timeout: Duration) -> SqliteConnectOptions {
    SqliteConnectOptions::new()
        .filename(path)
        .create_if_missing(true)
        .journal_mode(SqliteJournalMode::Wal)
        .busy_timeout(busy_timeout)
}

async fn open(path: &Path, max_connections: u32, busy_timeout: Duration) -> SqlitePool {
    SqlitePoolOptions::new()
        .max_connections(max_connections)
        .connect_with(options(path, busy_timeout))
        .await
        .unwrap_or_else(|error| panic!("cannot open {}: {error}", path.display()))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::Database;

    #[tokio::test]
    async fn two_pools_share_the_file_and_nothing_else_does() {
        let (one, other) = tokio::join!(Database::create(), Database::create());
        sqlx::query("CREATE TABLE t (n INTEGER)").execute(one.pool()).await.unwrap();
        let replica = one.another_pool(1, Duration::from_millis(20)).await;
        sqlx::query("INSERT INTO t VALUES (1)").execute(&replica).await.unwrap();
        let rows: i64 = sqlx::query_scalar("SELECT count(*) FROM t").fetch_one(one.pool()).await.unwrap();
        assert_eq!(rows, 1);
        assert!(sqlx::query("SELECT * FROM t").fetch_all(other.pool()).await.is_err());
        let mode: String = sqlx::query_scalar("PRAGMA journal_mode").fetch_one(&replica).await.unwrap();
        assert_eq!(mode, "wal");
    }
}
