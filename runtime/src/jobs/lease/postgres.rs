//! Leases in the application's PostgreSQL database.

use std::{fmt, time::Duration};

use futures_core::future::BoxFuture;
use sqlx::{Database as _, PgPool, Postgres, SqlSafeStr};

use super::{
    error::{LeaseError, LeaseErrorKind},
    pool::{acquire, in_time, settled, told},
    protocol,
    row::read_row,
    sql::{self, Statements},
    store::{Claim, Claimed, LeaseStore},
};
use crate::{jobs::Slot, schema};

/// Milliseconds since the epoch, at the statement and not at the start of a transaction.
const CLOCK: &str = "EXTRACT(EPOCH FROM clock_timestamp()) * 1000";

/// Leases in the table `jobs_leases` of a PostgreSQL database, in the first schema of the connections' `search_path`.
///
/// ```no_run
/// use steadfast::PostgresLeases;
///
/// # async fn start(pool: sqlx::PgPool) -> Result<(), Box<dyn std::error::Error>> {
/// let leases = PostgresLeases::new(&pool);
/// leases.install().await?;                 // or run `steadfast::schema::leases::POSTGRES` with your migrations
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct PostgresLeases {
    pool: PgPool,
    statements: Statements,
}

impl PostgresLeases {
    /// Leases in this pool's database; the pool is shared, not copied.
    #[must_use]
    pub fn new(pool: &PgPool) -> Self {
        Self { pool: pool.clone(), statements: Statements::new(CLOCK) }
    }

    /// Another clock than the database's own: an SQL expression in milliseconds since the epoch.
    ///
    /// For tests and sped-up clocks. The claim compares it with the claimer's clock, see [`LostCause::Skew`](super::LostCause::Skew).
    #[must_use]
    pub fn database_clock(mut self, expression: impl SqlSafeStr) -> Self {
        self.statements = self.statements.with_clock(expression);
        self
    }

    /// How far the claimer's clock and the database's may differ, 30 s if nothing is said. More than half the lease's
    /// extra minute lets two accepted replicas overlap; a sped-up clock scales it (`docs/rules.md#the-databases-clock-is-the-judge`).
    #[must_use]
    pub fn clock_tolerance(mut self, tolerance: Duration) -> Self {
        self.statements = self.statements.with_tolerance(tolerance);
        self
    }

    /// Creates the table if it is not there. Safe from many replicas at once, and safe to call at every start: a role that
    /// may not CREATE is refused only where the table is missing.
    ///
    /// # Errors
    /// What the database refused; [`MissingTable`](super::LeaseErrorKind::MissingTable) when a table of that name is there but lacks columns.
    pub async fn install(&self) -> Result<(), LeaseError> {
        if self.check().await.is_ok() {
            return Ok(());
        }
        let mut connection = acquire(&self.pool).await?;
        sqlx::raw_sql(schema::under_lock(schema::leases::POSTGRES)).execute(&mut *connection).await.map_err(told)?;
        drop(connection);
        self.check().await
    }

    /// Can the database be reached, and is the table there with all its columns?
    ///
    /// # Errors
    /// [`MissingTable`](super::LeaseErrorKind::MissingTable) names the call that creates it; [`ConnectionLost`](super::LeaseErrorKind::ConnectionLost) after 5 s.
    pub async fn check(&self) -> Result<(), LeaseError> {
        let mut connection = acquire(&self.pool).await?;
        let answer = in_time(sqlx::query(self.statements.read.clone()).bind("").execute(&mut *connection)).await;
        settled(&mut connection, answer).map(drop)
    }

    async fn claim(&self, claim: &Claim<'_>) -> Result<Claimed, LeaseError> {
        let mut connection = acquire(&self.pool).await?;
        let answer = in_time(sql::run_claim::<Postgres>(&mut connection, &self.statements, claim)).await;
        settled(&mut connection, answer)
    }

    async fn holds(&self, name: &str, slot: Slot, run: &str) -> Result<bool, LeaseError> {
        let mut connection = acquire(&self.pool).await?;
        let answer = in_time(read_row::<Postgres>(&mut connection, &self.statements.read, name)).await;
        let (clock, row) = settled(&mut connection, answer)?;
        Ok(protocol::holds(row.as_ref(), slot.unix_millis(), run, clock))
    }

    async fn renew(&self, claim: &Claim<'_>) -> Result<bool, LeaseError> {
        let mut connection = acquire(&self.pool).await?;
        let answer = in_time(sql::run_renewal::<Postgres>(&mut connection, &self.statements, claim)).await;
        settled(&mut connection, answer)?.ok_or_else(|| LeaseError::new(LeaseErrorKind::Skew))
    }

    async fn hand_back(&self, name: &str, slot: Slot, run: &str) -> Result<(), LeaseError> {
        let mut connection = acquire(&self.pool).await?;
        let given = sqlx::query(sql::HAND_BACK).bind(name).bind(slot.unix_millis()).bind(run);
        let answer = in_time(given.execute(&mut *connection)).await;
        settled(&mut connection, answer).map(drop)
    }

    async fn last_slot(&self, name: &str) -> Result<Option<Slot>, LeaseError> {
        let mut connection = acquire(&self.pool).await?;
        let answer = in_time(read_row::<Postgres>(&mut connection, &self.statements.read, name)).await;
        let (_, row) = settled(&mut connection, answer)?;
        Ok(row.and_then(|row| row.last_taken()).map(Slot::from_unix_millis))
    }

    async fn release(&self, name: &str, run: &str) -> Result<(), LeaseError> {
        let mut connection = acquire(&self.pool).await?;
        let answer = in_time(sqlx::query(sql::RELEASE).bind(name).bind(run).execute(&mut *connection)).await;
        settled(&mut connection, answer).map(drop)
    }
}

impl LeaseStore for PostgresLeases {
    fn check(&self) -> BoxFuture<'_, Result<(), LeaseError>> {
        Box::pin(self.check())
    }

    fn claim<'a>(&'a self, claim: &'a Claim<'a>) -> BoxFuture<'a, Result<Claimed, LeaseError>> {
        Box::pin(self.claim(claim))
    }

    fn holds<'a>(&'a self, name: &'a str, slot: Slot, run: &'a str) -> BoxFuture<'a, Result<bool, LeaseError>> {
        Box::pin(self.holds(name, slot, run))
    }

    fn renew<'a>(&'a self, claim: &'a Claim<'a>) -> BoxFuture<'a, Result<bool, LeaseError>> {
        Box::pin(self.renew(claim))
    }

    fn hand_back<'a>(&'a self, name: &'a str, slot: Slot, run: &'a str) -> BoxFuture<'a, Result<(), LeaseError>> {
        Box::pin(self.hand_back(name, slot, run))
    }

    fn last_slot<'a>(&'a self, name: &'a str) -> BoxFuture<'a, Result<Option<Slot>, LeaseError>> {
        Box::pin(self.last_slot(name))
    }

    fn database(&self) -> Option<&'static str> {
        Some(Postgres::NAME)
    }

    fn release<'a>(&'a self, name: &'a str, run: &'a str) -> BoxFuture<'a, Result<(), LeaseError>> {
        Box::pin(self.release(name, run))
    }
}

/// Without the pool: its options hold the password.
impl fmt::Debug for PostgresLeases {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PostgresLeases")
    }
}
