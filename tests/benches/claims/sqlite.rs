//! SQLite: a file in WAL mode, one connection.

pub(crate) use sqlx::SqlitePool as Pool;
pub(crate) use steadfast::SqliteLeases as Leases;

use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqlitePoolOptions, SqliteSynchronous};

use crate::table::{compare, head};

#[path = "subjects.rs"]
#[allow(clippy::duplicate_mod, reason = "once for each engine")]
mod subjects;

pub(crate) const SYNCHRONOUS: [SqliteSynchronous; 2] = [SqliteSynchronous::Normal, SqliteSynchronous::Full];

pub(crate) async fn measure(synchronous: SqliteSynchronous) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let options = SqliteConnectOptions::new().filename(folder.path().join("leases.db")).create_if_missing(true);
    let options = options.journal_mode(SqliteJournalMode::Wal).synchronous(synchronous);
    let pool = SqlitePoolOptions::new().max_connections(1).connect_with(options).await.expect("a file");
    let scene = subjects::Scene::on(pool).await;
    head(&format!("SQLite, synchronous {synchronous:?}, 1 connection"));
    compare(&scene.subjects(), 300).await;
}
