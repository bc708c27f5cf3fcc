//! PostgreSQL: every transaction is SERIALIZABLE.

pub(crate) use sqlx::PgPool as Pool;
pub(crate) use steadfast::postgres::Tx;

use std::time::Duration;

use sqlx::postgres::PgPoolOptions;
use steadfast_tests::postgres::Database;

#[path = "subjects.rs"]
pub(crate) mod subjects;

pub(crate) const BEGIN: &str = "BEGIN";

pub(crate) async fn open(connections: u32) -> (Database, Pool) {
    let database = Database::with(1).await;
    let options = database.options().options([("default_transaction_isolation", "serializable")]);
    let pool = PgPoolOptions::new()
        .max_connections(connections)
        .acquire_timeout(Duration::from_mins(1))
        .before_acquire(|_, _| Box::pin(async { Ok(crate::attempted()) }))
        .connect_with(options)
        .await
        .expect("the server answers");
    (database, pool)
}
