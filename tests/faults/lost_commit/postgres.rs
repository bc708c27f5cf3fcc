//! The suite on PostgreSQL.

mod engine {
    pub(super) use crate::engines::postgres::{
        CONNECTION_ID, Database, NAME, Tx, engine_test, inside_transaction, sql, unlucky,
    };

    pub(super) const INSERT_ONCE: &str = "insert into events values ($1) on conflict do nothing";

    /// The server ends the session in the middle of the unit.
    pub(super) async fn break_off(tx: &mut Tx<'_>) {
        let _ = sqlx::query("select pg_terminate_backend(pg_backend_pid())").execute(&mut *tx).await;
    }
}

#[path = "suite.rs"]
mod suite;
