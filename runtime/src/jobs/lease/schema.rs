//! The table, to copy into an application's own migrations.

/// The lease table for PostgreSQL.
///
/// ```
/// assert!(steadfast::schema::POSTGRES.contains("CREATE TABLE IF NOT EXISTS jobs_leases"));
/// ```
pub const POSTGRES: &str = include_str!("../../../schema/postgres/0001_leases.sql");

/// The lease table for SQLite (3.37 or newer).
///
/// ```
/// assert!(steadfast::schema::SQLITE.contains("CREATE TABLE IF NOT EXISTS jobs_leases"));
/// ```
pub const SQLITE: &str = include_str!("../../../schema/sqlite/0001_leases.sql");
