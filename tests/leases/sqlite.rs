//! The suite on SQLite.

mod engine {
    pub(super) use crate::engines::sqlite::{engine_test, sql};
    use std::{path::Path, time::Duration};
    pub(super) use steadfast::sqlite::{Lease, Tx};

    use sqlx::sqlite::SqlitePoolOptions;
    pub(super) use sqlx::{SqliteConnection as Connection, SqlitePool as Pool};
    pub(super) use steadfast::SqliteLeases as Leases;
    pub(super) use steadfast_tests::sqlite::Database;

    /// A replica's own pool, which does not wait long for other writers.
    pub(super) async fn replica(database: &Database) -> Pool {
        database.another_pool(2, Duration::from_millis(20)).await
    }

    /// A pool of one connection, for everything.
    pub(super) async fn single(database: &Database) -> Pool {
        database.another_pool(1, Duration::from_secs(5)).await
    }

    /// A pool of a database that cannot be reached.
    pub(super) fn unreachable() -> Pool {
        let options = steadfast_tests::sqlite::options(Path::new("/nonexistent/hunter2/test.db"), Duration::ZERO);
        SqlitePoolOptions::new().connect_lazy_with(options)
    }

    pub(super) const UNREACHABLE: steadfast::jobs::LeaseErrorKind = steadfast::jobs::LeaseErrorKind::Refused;

    /// The row as somebody may have edited it.
    pub(super) const EDIT: &str = "INSERT INTO jobs_leases (name, last_slot, lease_until, lease_ms, holder, prev_slot) \
         VALUES ($1, $2, $3, $4, 'somebody', NULL) ON CONFLICT (name) DO UPDATE SET last_slot = excluded.last_slot, \
         lease_until = excluded.lease_until, lease_ms = excluded.lease_ms, holder = excluded.holder";

    pub(super) const SCHEMA: &str = steadfast::schema::leases::SQLITE;

    /// What changes with every commit of another connection.
    pub(super) async fn version(connection: &mut Connection) -> String {
        let version: i64 = sqlx::query_scalar("PRAGMA data_version").fetch_one(connection).await.unwrap();
        version.to_string()
    }

    /// The table without its constraints, as somebody might have made it by hand.
    pub(super) const LOOSE: &str = "CREATE TABLE jobs_leases (name TEXT PRIMARY KEY, last_slot INTEGER, lease_until INTEGER, \
                             lease_ms INTEGER, holder TEXT, prev_slot INTEGER, paused_at INTEGER, pause_reason TEXT)";

    /// A schema that is there.
    #[allow(clippy::unused_async, reason = "as the others'")]
    pub(super) async fn schema(_: &Pool) -> String {
        "main".to_owned()
    }

    pub(super) use sqlx::Sqlite as Engine;
}

#[path = "by_hand.rs"]
mod by_hand;

#[path = "fence.rs"]
mod fence;

#[path = "history.rs"]
mod history;

#[path = "notes.rs"]
mod notes;

#[path = "suite.rs"]
mod suite;

#[path = "table.rs"]
mod table;
