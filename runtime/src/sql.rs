//! The one door for statements that are no literals.

use sqlx::{AssertSqlSafe, SqlSafeStr, SqlStr};

/// A statement made of literals, of numbers, and of what came in as `SqlSafeStr`, whose owner has vouched for it; or one that sea-orm
/// gives to a connection, as its user has built or written it. Names and values are always bound.
pub(crate) fn assembled(text: String) -> SqlStr {
    AssertSqlSafe(text).into_sql_str()
}
