//! The suite on PostgreSQL.

mod engine {
    pub(super) use crate::engines::postgres::{engine_test, sql};
    pub(super) use sqlx::PgPool as Pool;
    pub(super) use steadfast::{PostgresLeases as Leases, postgres::Tx};
    pub(super) use steadfast_tests::postgres::Database;
}

#[path = "suite.rs"]
mod suite;
