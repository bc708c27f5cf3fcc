//! The suite on MariaDB.

mod engine {
    pub(super) use crate::engines::mysql::{engine_test, sql};
    use std::time::Duration;
    pub(super) use steadfast::mysql::{Lease, Tx};

    use sqlx::mysql::MySqlPoolOptions;
    pub(super) use sqlx::{MySqlConnection as Connection, MySqlPool as Pool};
    pub(super) use steadfast::MySqlLeases as Leases;
    pub(super) use steadfast_tests::mysql::Database;

    /// A replica's own pool.
    pub(super) async fn replica(database: &Database) -> Pool {
        MySqlPoolOptions::new().max_connections(2).connect_with(database.options()).await.unwrap()
    }

    /// A pool of one connection, for everything.
    pub(super) async fn single(database: &Database) -> Pool {
        MySqlPoolOptions::new().max_connections(1).connect_with(database.options()).await.unwrap()
    }

    /// A pool of a server that is down.
    pub(super) fn unreachable() -> Pool {
        let options = steadfast_tests::mysql::server(steadfast_tests::mysql::URL).port(1).password("hunter2");
        MySqlPoolOptions::new().acquire_timeout(Duration::from_millis(300)).connect_lazy_with(options)
    }

    pub(super) const UNREACHABLE: steadfast::jobs::LeaseErrorKind = steadfast::jobs::LeaseErrorKind::ConnectionLost;

    /// The row as somebody may have edited it.
    pub(super) const EDIT: &str = "REPLACE INTO jobs_leases (name, last_slot, lease_until, lease_ms, holder, prev_slot) \
         VALUES ($1, $2, $3, $4, 'somebody', NULL)";

    pub(super) const SCHEMA: &str = steadfast::schema::leases::MYSQL;

    /// No version is to be had: from the first call on the rows are locked, so that whoever writes or locks one waits, and fails.
    pub(super) async fn version(connection: &mut Connection) -> String {
        let open: i64 =
            sqlx::query_scalar("SELECT CAST(@@in_transaction AS SIGNED)").fetch_one(&mut *connection).await.unwrap();
        if open == 0 {
            sqlx::raw_sql("START TRANSACTION").execute(&mut *connection).await.unwrap();
        }
        sqlx::query_scalar("SELECT GROUP_CONCAT(CONCAT_WS(' ', name, holder, last_slot)) FROM jobs_leases FOR UPDATE")
            .fetch_one(connection)
            .await
            .unwrap()
    }

    /// The table without its constraints, as somebody might have made it by hand.
    pub(super) const LOOSE: &str = "CREATE TABLE jobs_leases (name VARCHAR(64) PRIMARY KEY, last_slot BIGINT, lease_until BIGINT, \
                             lease_ms BIGINT, holder VARCHAR(64), prev_slot BIGINT, paused_at BIGINT, pause_reason TEXT)";

    /// A schema that is there: MySQL's word for it is a database.
    pub(super) async fn schema(pool: &Pool) -> String {
        sqlx::query_scalar("SELECT DATABASE()").fetch_one(pool).await.unwrap()
    }

    pub(super) use sqlx::MySql as Engine;
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
