//! The suite on MariaDB.

mod engine {
    pub(super) use crate::engines::mysql::{
        CONNECTION_ID, Database, NAME, Tx, engine_test, inside_transaction, sql, unlucky,
    };

    pub(super) const INSERT_ONCE: &str = "insert ignore into events values (?)";

    /// The server ends the session in the middle of the unit.
    pub(super) async fn break_off(tx: &mut Tx<'_>) {
        let _ = sqlx::query("kill connection_id()").execute(&mut *tx).await;
        let _ = sqlx::query("select 1").execute(&mut *tx).await;
    }
}

#[path = "suite.rs"]
mod suite;
