//! `Classify` for the errors of sqlx, whatever engine they come from.

use std::borrow::Cow;

use sqlx::Error;

use super::engine::client_verdict;
use crate::retry::{Classify, Failure};

/// By SQLSTATE (PostgreSQL), extended code (SQLite) and number (MySQL), never by text.
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
        #[cfg(feature = "mysql")]
        if database.try_downcast_ref::<sqlx::mysql::MySqlDatabaseError>().is_some() {
            return Some(Failure::of(<sqlx::MySql as super::Engine>::verdict(self).kind));
        }
        let _ = database;
        Some(Failure::of(crate::Kind::Other))
    }
}

/// The SQLSTATE, extended code or number, for logs: never the text, which can hold values.
pub(crate) fn code(error: &Error) -> Option<Cow<'_, str>> {
    #[cfg(feature = "mysql")]
    if let Some(number) = super::mysql::number(error) {
        return Some(number.to_string().into());
    }
    error.as_database_error().and_then(sqlx::error::DatabaseError::code)
}
