//! The database: SQLite, or PostgreSQL with the feature of that name. The statements are the same.

#[cfg(feature = "postgres")]
pub use {sqlx::PgPool as Pool, steadfast::postgres::Tx};
#[cfg(not(feature = "postgres"))]
pub use {sqlx::SqlitePool as Pool, steadfast::sqlite::Tx};

/// What a unit of this application may fail with.
#[derive(Debug, thiserror::Error, steadfast::Classify)]
pub enum Error {
    #[error(transparent)]
    #[classify(transparent)]
    Db(#[from] sqlx::Error),
    #[error(transparent)]
    #[classify(transparent)]
    Unit(#[from] steadfast::UnitFailure),
}

/// The tables of this example, empty.
pub async fn install(db: &Pool) -> sqlx::Result<()> {
    for sql in [
        "drop table if exists orders",
        "drop table if exists outbox",
        "drop table if exists received",
        "create table orders (id bigint primary key, item text not null)",
        "create table outbox (id bigint primary key, payload text not null, failed int not null default 0, \
         due_ms bigint not null default 0, ended text)",
        "create table received (event bigint primary key, times int not null)",
    ] {
        sqlx::query(sql).execute(db).await?;
    }
    Ok(())
}
