//! Leases in the application's SQLite file.

use std::{fmt, time::Duration};

use futures_core::future::BoxFuture;
use sqlx::{Database as _, SqlSafeStr, Sqlite, SqlitePool, pool::PoolConnection};

use super::{
    error::{LeaseError, LeaseErrorKind},
    pool::{acquire, told},
    protocol,
    row::read_row,
    sql::{self, Statements},
    store::{Claim, Claimed, LeaseStore},
};
use crate::{jobs::Slot, schema};

/// Milliseconds since the epoch; `unixepoch('subsec')` would need SQLite 3.42.
const CLOCK: &str = "(julianday('now') - 2440587.5) * 86400000";

/// How long [`SqliteLeases::install`] waits for other writers.
const INSTALL_PATIENCE: Duration = Duration::from_secs(10);

/// Leases in the table `jobs_leases` of an SQLite database.
///
/// ```
/// # use sqlx::sqlite::SqlitePoolOptions;
/// use steadfast::SqliteLeases;
/// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
/// # let pool = SqlitePoolOptions::new().max_connections(1).connect("sqlite::memory:").await?;
/// let leases = SqliteLeases::new(&pool);
/// leases.install().await?;                 // or run `steadfast::schema::leases::SQLITE` with your migrations
/// # Ok::<(), Box<dyn std::error::Error>>(()) }).unwrap();
/// ```
#[derive(Clone)]
pub struct SqliteLeases {
    pool: SqlitePool,
    statements: Statements,
}

impl SqliteLeases {
    /// Leases in this pool's database; the pool is shared, not copied.
    #[must_use]
    pub fn new(pool: &SqlitePool) -> Self {
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

    /// Creates the table if it is not there. Safe from many replicas at once, and safe to call at every start.
    ///
    /// # Errors
    /// [`LeaseErrorKind::Contention`] when other writers leave no room for 10 s, [`LeaseErrorKind::MissingTable`] when a
    /// table of that name is there but lacks columns; otherwise what the database refused.
    pub async fn install(&self) -> Result<(), LeaseError> {
        // One statement, one write transaction of its own: nothing is left open when the caller gives up.
        let tried = tokio::time::timeout(INSTALL_PATIENCE, async {
            loop {
                let created = async {
                    let mut connection = acquire(&self.pool).await?;
                    // A plain read first: replicas that start later take no write lock.
                    if columns(&mut connection).await? {
                        return Ok(());
                    }
                    sqlx::raw_sql(schema::leases::SQLITE).execute(&mut *connection).await.map_err(told)?;
                    proven(&mut connection).await
                };
                match created.await {
                    Err(error) if error.kind() == LeaseErrorKind::Contention => {
                        tokio::time::sleep(Duration::from_millis(rand::random_range(1..=20))).await;
                    }
                    done => return done,
                }
            }
        });
        tried.await.unwrap_or_else(|_| Err(LeaseError::new(LeaseErrorKind::Contention)))
    }

    /// Can the database be reached, and is the table there with all its columns?
    ///
    /// # Errors
    /// [`LeaseErrorKind::MissingTable`] names the call that creates it; [`LeaseErrorKind::ConnectionLost`] after 5 s.
    pub async fn check(&self) -> Result<(), LeaseError> {
        let mut connection = acquire(&self.pool).await?;
        proven(&mut connection).await
    }

    async fn claim(&self, claim: &Claim<'_>) -> Result<Claimed, LeaseError> {
        let mut connection = acquire(&self.pool).await?;
        match sql::run_claim::<Sqlite>(&mut connection, &self.statements, claim).await {
            Ok(claimed) => Ok(claimed),
            Err(error) => Err(explained(&mut connection, error).await),
        }
    }

    async fn holds(&self, name: &str, slot: Slot, run: &str) -> Result<bool, LeaseError> {
        let mut connection = acquire(&self.pool).await?;
        match read_row::<Sqlite>(&mut connection, &self.statements.read, name).await {
            Ok((clock, row)) => Ok(protocol::holds(row.as_ref(), slot.unix_millis(), run, clock)),
            Err(error) => Err(explained(&mut connection, error).await),
        }
    }

    async fn renew(&self, claim: &Claim<'_>) -> Result<bool, LeaseError> {
        let mut connection = acquire(&self.pool).await?;
        match sql::run_renewal::<Sqlite>(&mut connection, &self.statements, claim).await {
            Ok(renewed) => renewed.ok_or_else(|| LeaseError::new(LeaseErrorKind::Skew)),
            Err(error) => Err(explained(&mut connection, error).await),
        }
    }

    async fn hand_back(&self, name: &str, slot: Slot, run: &str) -> Result<(), LeaseError> {
        let mut connection = acquire(&self.pool).await?;
        let given = sqlx::query(sql::HAND_BACK).bind(name).bind(slot.unix_millis()).bind(run);
        match given.execute(&mut *connection).await {
            Ok(_) => Ok(()),
            Err(error) => Err(explained(&mut connection, error).await),
        }
    }

    async fn last_slot(&self, name: &str) -> Result<Option<Slot>, LeaseError> {
        let mut connection = acquire(&self.pool).await?;
        match read_row::<Sqlite>(&mut connection, &self.statements.read, name).await {
            Ok((_, row)) => Ok(row.and_then(|row| row.last_taken()).map(Slot::from_unix_millis)),
            Err(error) => Err(explained(&mut connection, error).await),
        }
    }

    async fn release(&self, name: &str, run: &str) -> Result<(), LeaseError> {
        let mut connection = acquire(&self.pool).await?;
        match sqlx::query(sql::RELEASE).bind(name).bind(run).execute(&mut *connection).await {
            Ok(_) => Ok(()),
            Err(error) => Err(explained(&mut connection, error).await),
        }
    }
}

impl LeaseStore for SqliteLeases {
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
        Some(Sqlite::NAME)
    }

    fn release<'a>(&'a self, name: &'a str, run: &'a str) -> BoxFuture<'a, Result<(), LeaseError>> {
        Box::pin(self.release(name, run))
    }
}

/// Without the pool: its options may hold a secret.
impl fmt::Debug for SqliteLeases {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SqliteLeases")
    }
}

/// SQLite says "no such table" with the code of every mistake in a statement (1), so the table is looked at instead.
async fn columns(connection: &mut PoolConnection<Sqlite>) -> Result<bool, LeaseError> {
    let found: i64 = sqlx::query_scalar(
        "SELECT COUNT(*) FROM pragma_table_info('jobs_leases') \
         WHERE name IN ('name', 'last_slot', 'lease_until', 'lease_ms', 'holder', 'prev_slot')",
    )
    .fetch_one(&mut **connection)
    .await
    .map_err(told)?;
    Ok(found == 6)
}

async fn proven(connection: &mut PoolConnection<Sqlite>) -> Result<(), LeaseError> {
    if columns(connection).await? { Ok(()) } else { Err(LeaseError::new(LeaseErrorKind::MissingTable)) }
}

async fn explained(connection: &mut PoolConnection<Sqlite>, error: sqlx::Error) -> LeaseError {
    let error = told(error);
    match error.database_code() {
        Some("1") => proven(connection).await.err().unwrap_or(error),
        _ => error,
    }
}
