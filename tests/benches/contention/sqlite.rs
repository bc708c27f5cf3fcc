//! SQLite: a file in WAL, and connections that hardly wait for a lock, so that contention is seen and not slept through.

pub(crate) use sqlx::SqlitePool as Pool;
pub(crate) use steadfast::sqlite::Tx;

use std::time::Duration;

use sqlx::sqlite::{SqlitePoolOptions, SqliteSynchronous};
use steadfast_tests::sqlite::{Database, options};

#[path = "subjects.rs"]
pub(crate) mod subjects;

/// What a unit of ours begins with, too.
pub(crate) const BEGIN: &str = "BEGIN IMMEDIATE";

pub(crate) async fn open(connections: u32) -> (Database, Pool) {
    let database = Database::with(1, Duration::from_secs(5)).await;
    // Opening a connection takes locks as well: the short wait is set once it is open.
    let options = options(database.path(), Duration::from_secs(5)).synchronous(SqliteSynchronous::Normal);
    let pool = SqlitePoolOptions::new()
        .max_connections(connections)
        .acquire_timeout(Duration::from_mins(1))
        .after_connect(|connection, _| {
            Box::pin(async { sqlx::raw_sql("pragma busy_timeout = 1").execute(connection).await.map(drop) })
        })
        .before_acquire(|_, _| Box::pin(async { Ok(crate::attempted()) }))
        .connect_with(options)
        .await
        .expect("the database opens");
    (database, pool)
}
