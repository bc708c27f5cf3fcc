//! `Classify` for the errors of sqlx, whatever engine they come from.

use std::borrow::Cow;

use sqlx::{Error, error::DatabaseError};

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

/// The code of the database's error, if it is one.
pub(super) fn code(error: &Error) -> Option<Cow<'_, str>> {
    code_of(error.as_database_error()?)
}

/// The SQLSTATE, extended code or number, for logs: never the text, which can hold values.
pub(crate) fn code_of(error: &dyn DatabaseError) -> Option<Cow<'_, str>> {
    #[cfg(feature = "mysql")]
    if let Some(number) = super::mysql::number_of(error) {
        return Some(number.to_string().into());
    }
    error.code()
}

/// Whether the message holds a value that the statement was given, or that stands in a row.
pub(crate) fn quotes_values(error: &dyn DatabaseError) -> bool {
    // MySQL's do so for duplicates, conversions, truncations and more: there is no class to know them by.
    #[cfg(feature = "mysql")]
    if super::mysql::number_of(error).is_some() {
        return true;
    }
    // SQLSTATE has five characters. SQLite's codes are numbers of up to four, and its messages quote no value.
    error.code().is_some_and(|code| code.len() == 5 && code.starts_with("22"))
}
