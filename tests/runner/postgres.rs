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
    pub(super) use sqlx::PgPool as Pool;
    pub(super) use steadfast::{PostgresLeases as Leases, postgres::Tx};
    pub(super) use steadfast_tests::postgres::Database;
}

#[path = "suite.rs"]
mod suite;
