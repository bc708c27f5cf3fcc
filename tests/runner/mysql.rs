//! The suite on MariaDB.

mod engine {
    pub(super) use crate::engines::mysql::{engine_test, sql};
    pub(super) use sqlx::MySqlPool as Pool;
    pub(super) use steadfast::{MySqlLeases as Leases, mysql::Tx};
    pub(super) use steadfast_tests::mysql::Database;
}

#[path = "suite.rs"]
mod suite;
