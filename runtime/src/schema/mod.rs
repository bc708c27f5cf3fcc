//! The tables as SQL, to copy into an application's own migrations; `install()` of each store runs the same text.

#[cfg(feature = "_unit")]
mod table;

#[cfg(feature = "_unit")]
pub use table::InvalidTableName;
#[cfg(feature = "_unit")]
pub(crate) use table::Table;
#[cfg(feature = "_database")]
pub(crate) use table::quoted;

/// The text of a table that has another name: its own stands in it once.
#[cfg(feature = "_unit")]
pub(crate) fn named(text: &str, ours: &str, quoted: &str) -> String {
    debug_assert_eq!(text.matches(ours).count(), 1);
    text.replace(ours, quoted)
}

/// A table of PostgreSQL's, as its `install()` sends it: one message, hence one implicit transaction, so that the lock is held
/// until the table is there. (`CREATE TABLE IF NOT EXISTS` alone fails when two connections run it at once.) The number is
/// "steadfas" in ASCII.
#[cfg(feature = "postgres")]
pub(crate) fn under_lock(table: &str) -> sqlx::SqlStr {
    crate::sql::assembled(format!("SELECT pg_advisory_xact_lock(8319385880630813043);\n{table}"))
}

/// The table of the jobs' leases.
pub mod leases {
    /// For MySQL and MariaDB.
    ///
    /// ```
    /// assert!(steadfast::schema::leases::MYSQL.contains("CREATE TABLE IF NOT EXISTS jobs_leases"));
    /// ```
    pub const MYSQL: &str = include_str!("../../schema/mysql/0001_leases.sql");

    /// For PostgreSQL.
    ///
    /// ```
    /// assert!(steadfast::schema::leases::POSTGRES.contains("CREATE TABLE IF NOT EXISTS jobs_leases"));
    /// ```
    pub const POSTGRES: &str = include_str!("../../schema/postgres/0001_leases.sql");

    /// For SQLite (3.37 or newer).
    ///
    /// ```
    /// assert!(steadfast::schema::leases::SQLITE.contains("CREATE TABLE IF NOT EXISTS jobs_leases"));
    /// ```
    pub const SQLITE: &str = include_str!("../../schema/sqlite/0001_leases.sql");
}

/// The table of the units' receipts.
pub mod receipts {
    /// For PostgreSQL.
    ///
    /// ```
    /// assert!(steadfast::schema::receipts::POSTGRES.contains("CREATE TABLE IF NOT EXISTS unit_receipts"));
    /// ```
    pub const POSTGRES: &str = include_str!("../../schema/postgres/0002_receipts.sql");

    /// For MySQL and MariaDB.
    ///
    /// ```
    /// assert!(steadfast::schema::receipts::MYSQL.contains("CREATE TABLE IF NOT EXISTS unit_receipts"));
    /// ```
    pub const MYSQL: &str = include_str!("../../schema/mysql/0002_receipts.sql");

    /// For SQLite (3.37 or newer).
    ///
    /// ```
    /// assert!(steadfast::schema::receipts::SQLITE.contains("CREATE TABLE IF NOT EXISTS unit_receipts"));
    /// ```
    pub const SQLITE: &str = include_str!("../../schema/sqlite/0002_receipts.sql");
}

/// The table of the jobs' runs.
pub mod runs {
    /// For MySQL and MariaDB.
    ///
    /// ```
    /// assert!(steadfast::schema::runs::MYSQL.contains("CREATE TABLE IF NOT EXISTS jobs_runs"));
    /// ```
    pub const MYSQL: &str = include_str!("../../schema/mysql/0003_runs.sql");

    /// For PostgreSQL.
    ///
    /// ```
    /// assert!(steadfast::schema::runs::POSTGRES.contains("CREATE TABLE IF NOT EXISTS jobs_runs"));
    /// ```
    pub const POSTGRES: &str = include_str!("../../schema/postgres/0003_runs.sql");

    /// For SQLite (3.37 or newer).
    ///
    /// ```
    /// assert!(steadfast::schema::runs::SQLITE.contains("CREATE TABLE IF NOT EXISTS jobs_runs"));
    /// ```
    pub const SQLITE: &str = include_str!("../../schema/sqlite/0003_runs.sql");
}
