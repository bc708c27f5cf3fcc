//! The suite on PostgreSQL.

macro_rules! engine_test {
    ($(#[$meta:meta])* async fn $name:ident() $body:block) => {
        $(#[$meta])*
        #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
        #[ignore = "needs PostgreSQL: tests/run"]
        async fn $name() $body
    };
}

mod engine {
    use std::time::Duration;

    use sqlx::postgres::{PgConnectOptions, PgPoolOptions};
    pub(super) use sqlx::{PgConnection as Connection, PgPool as Pool};
    pub(super) use steadfast::PostgresLeases as Leases;
    pub(super) use steadfast_tests::postgres::Database;

    /// A replica's own pool.
    pub(super) async fn replica(database: &Database) -> Pool {
        PgPoolOptions::new().max_connections(2).connect_with(database.options()).await.unwrap()
    }

    /// A pool of a server that is down.
    pub(super) fn unreachable() -> Pool {
        let options = PgConnectOptions::new().host("127.0.0.1").port(1).username("app").password("hunter2");
        PgPoolOptions::new().acquire_timeout(Duration::from_millis(300)).connect_lazy_with(options)
    }

    pub(super) const UNREACHABLE: steadfast::jobs::LeaseErrorKind = steadfast::jobs::LeaseErrorKind::ConnectionLost;

    /// What changes with every write or lock of the row.
    pub(super) async fn version(connection: &mut Connection) -> String {
        sqlx::query_scalar("SELECT string_agg(concat_ws(' ', name, xmin, xmax, ctid), ',') FROM jobs_leases")
            .fetch_one(connection)
            .await
            .unwrap()
    }

    /// The table without its constraints, as somebody might have made it by hand.
    pub(super) const LOOSE: &str = "CREATE TABLE jobs_leases (name TEXT PRIMARY KEY, last_slot BIGINT, lease_until BIGINT, \
                             lease_ms BIGINT, holder TEXT, prev_slot BIGINT)";
}

#[path = "suite.rs"]
mod suite;
