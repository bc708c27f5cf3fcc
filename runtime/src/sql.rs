//! The one door for statements that are no literals.

use sqlx::{AssertSqlSafe, SqlSafeStr, SqlStr};

/// A statement made of literals, of numbers, and of what came in as `SqlSafeStr`, whose owner has vouched for it. Names and
/// values are always bound.
pub(crate) fn assembled(text: String) -> SqlStr {
    AssertSqlSafe(text).into_sql_str()
}
