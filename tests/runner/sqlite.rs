//! The suite on SQLite.

mod engine {
    pub(super) use crate::engines::sqlite::{engine_test, sql};
    pub(super) use sqlx::SqlitePool as Pool;
    pub(super) use steadfast::{SqliteLeases as Leases, sqlite::Tx};
    pub(super) use steadfast_tests::sqlite::Database;
}

#[path = "suite.rs"]
mod suite;
