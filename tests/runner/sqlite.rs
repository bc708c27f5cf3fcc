//! The suite on SQLite.

macro_rules! engine_test {
    ($(#[$meta:meta])* async fn $name:ident() $body:block) => {
        $(#[$meta])*
        #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
        async fn $name() $body
    };
}

mod engine {
    pub(super) use sqlx::SqlitePool as Pool;
    pub(super) use steadfast::{SqliteLeases as Leases, sqlite::Tx};
    pub(super) use steadfast_tests::sqlite::Database;
}

#[path = "suite.rs"]
mod suite;
