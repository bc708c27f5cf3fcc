//! `Classify` for the errors of sqlx, whatever engine they come from.

use sqlx::Error;

use super::engine::client_verdict;
use crate::retry::{Classify, Failure};

/// By SQLSTATE (PostgreSQL) and extended code (SQLite), never by text.
impl Classify for Error {
    fn failure(&self) -> Option<Failure> {
        let Self::Database(database) = self else {
            return Some(Failure::of(client_verdict(self).kind));
        };
        #[cfg(feature = "postgres")]
        if database.try_downcast_ref::<sqlx::postgres::PgDatabaseError>().is_some() {
            return Some(Failure::of(<sqlx::Postgres as super::Engine>::verdict(self).kind));
        }
        #[cfg(feature = "sqlite")]
        if database.try_downcast_ref::<sqlx::sqlite::SqliteError>().is_some() {
            return Some(Failure::of(<sqlx::Sqlite as super::Engine>::verdict(self).kind));
        }
        let _ = database;
        Some(Failure::of(crate::Kind::Other))
    }
}
