//! Leases in the application's MySQL or MariaDB database.
//!
//! The claim is that of `sql.rs` in the words of MySQL, which has no `ON CONFLICT … WHERE … RETURNING`: one statement for a job that
//! has no row, one for a job that has, and the row itself says who won. The holder is the id of one run, so it cannot be mistaken.

use std::{fmt, time::Duration};

use futures_core::future::BoxFuture;
use sqlx::{Database as _, MySql, MySqlConnection, MySqlPool, SqlSafeStr, SqlStr};

use super::{
    error::{LeaseError, LeaseErrorKind},
    pool::{acquire, in_time, settled, told},
    protocol::{self, Ask, LIE, LONGEST_LEASE, LostCause, MINUTE, TOLERANCE},
    row::{read, read_row},
    store::{Claim, Claimed, LeaseStore},
};
use crate::{jobs::Slot, schema, sql::assembled};

/// Milliseconds since the epoch, when it is read and not when the statement began (`SYSDATE`): a wait for the row counts. sqlx sets a
/// connection's time zone to UTC, in which no hour comes twice.
const CLOCK: &str = "UNIX_TIMESTAMP(SYSDATE(3)) * 1000";

/// Guarded by the holder: a superseded run releases nothing.
const RELEASE: &str = "UPDATE jobs_leases SET lease_until = NULL WHERE name = ? AND holder = ?";

/// Guarded by the holder and the slot, which both change; as in `sql.rs`.
const HAND_BACK: &str = "UPDATE jobs_leases SET lease_until = NULL, last_slot = last_slot - 1, holder = '' \
                         WHERE name = ? AND last_slot = ? AND holder = ?";

/// Leases in the table `jobs_leases` of a MySQL or MariaDB database, the one that the connections use.
///
/// ```no_run
/// use steadfast::MySqlLeases;
///
/// # async fn start(pool: sqlx::MySqlPool) -> Result<(), Box<dyn std::error::Error>> {
/// let leases = MySqlLeases::new(&pool);
/// leases.install().await?;                 // or run `steadfast::schema::leases::MYSQL` with your migrations
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct MySqlLeases {
    pool: MySqlPool,
    statements: Statements,
}

#[derive(Clone)]
struct Statements {
    read: SqlStr,
    insert: SqlStr,
    update: SqlStr,
    renew: SqlStr,
    tolerance: i64,
}

impl Statements {
    fn new(clock: impl SqlSafeStr) -> Self {
        let clock = clock.into_sql_str();
        let clock = format!("CAST({} AS SIGNED)", clock.as_str());
        Self {
            read: assembled(read(&clock, "?")),
            insert: assembled(insert(&clock)),
            update: assembled(update(&clock)),
            renew: assembled(renew(&clock)),
            tolerance: TOLERANCE,
        }
    }
}

/// Name, slot, end of the lease, lease, run; then now and the tolerance for the guard. A row that is there stays as it is.
fn insert(clock: &str) -> String {
    format!(
        "INSERT IGNORE INTO jobs_leases (name, last_slot, lease_until, lease_ms, holder, prev_slot) \
         SELECT ?, ?, ?, ?, ?, NULL FROM (SELECT 1 AS one) AS o WHERE ABS({clock} - ?) <= ?"
    )
}

/// Slot, slot, end of the lease, lease, run; name; now and the tolerance; run and slot; slot, now; now, now.
///
/// Assignments are made from the left to the right, each seeing those before it: the slot before comes first. The clauses are those of
/// the statement in `sql.rs`, in the same order.
fn update(clock: &str) -> String {
    format!(
        "UPDATE jobs_leases SET prev_slot = IF(last_slot = ? OR last_slot % {MINUTE} <> 0, prev_slot, last_slot), \
           last_slot = ?, lease_until = ?, lease_ms = ?, holder = ? \
         WHERE name = ? AND ABS({clock} - ?) <= ? \
           AND ((holder = ? AND last_slot = ?) \
           OR ((last_slot IS NULL OR last_slot < ? OR last_slot > ? + {LIE}) \
             AND (lease_until IS NULL OR lease_until < ? \
               OR lease_until > ? + {LIE} + IF(lease_ms BETWEEN 0 AND {LONGEST_LEASE}, lease_ms, 0))))"
    )
}

/// End of the lease, lease; name, slot, run; now and the tolerance.
fn renew(clock: &str) -> String {
    format!(
        "UPDATE jobs_leases SET lease_until = ?, lease_ms = ? \
         WHERE name = ? AND last_slot = ? AND holder = ? AND ABS({clock} - ?) <= ?"
    )
}

impl MySqlLeases {
    /// Leases in this pool's database; the pool is shared, not copied.
    #[must_use]
    pub fn new(pool: &MySqlPool) -> Self {
        Self { pool: pool.clone(), statements: Statements::new(CLOCK) }
    }

    /// Another clock than the database's own: an SQL expression in milliseconds since the epoch.
    ///
    /// For tests and sped-up clocks. The claim compares it with the claimer's clock, see [`LostCause::Skew`](super::LostCause::Skew).
    #[must_use]
    pub fn database_clock(mut self, expression: impl SqlSafeStr) -> Self {
        self.statements = Statements { tolerance: self.statements.tolerance, ..Statements::new(expression) };
        self
    }

    /// How far the claimer's clock and the database's may differ, 30 s if nothing is said. More than half the lease's
    /// extra minute lets two accepted replicas overlap; a sped-up clock scales it (`docs/rules.md#the-databases-clock-is-the-judge`).
    #[must_use]
    pub fn clock_tolerance(mut self, tolerance: Duration) -> Self {
        self.statements.tolerance = i64::try_from(tolerance.as_millis()).unwrap_or(i64::MAX);
        self
    }

    /// Creates the table if it is not there. Safe from many replicas at once, and safe to call at every start: a user that may not
    /// CREATE is refused only where the table is missing.
    ///
    /// # Errors
    /// What the database refused; [`MissingTable`](super::LeaseErrorKind::MissingTable) when a table of that name is there but lacks columns.
    pub async fn install(&self) -> Result<(), LeaseError> {
        if self.check().await.is_ok() {
            return Ok(());
        }
        let mut connection = acquire(&self.pool).await?;
        sqlx::raw_sql(schema::leases::MYSQL).execute(&mut *connection).await.map_err(told)?;
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
        let answer = in_time(self.run_claim(&mut connection, claim)).await;
        settled(&mut connection, answer)
    }

    /// Each statement in its own autocommit.
    async fn run_claim(&self, connection: &mut MySqlConnection, claim: &Claim<'_>) -> Result<Claimed, sqlx::Error> {
        let Statements { read, insert, update, tolerance, .. } = &self.statements;
        let (name, now) = (claim.name(), claim.now_millis());
        let ask = Ask { slot: claim.slot_millis(), now, run: claim.run() };
        let (lease, until) = (claim.lease_millis(), now.saturating_add(claim.lease_millis()));
        let (database, row) = read_row::<MySql>(connection, read, name).await?;
        let skew = now.saturating_sub(database);
        if let Some(lost) = protocol::decide(row.as_ref(), ask, database, *tolerance) {
            // No write and no lock.
            return Ok(Claimed::new(Some(lost), skew));
        }
        if row.is_none() {
            let insert = sqlx::query(insert.clone()).bind(name).bind(ask.slot).bind(until).bind(lease).bind(ask.run);
            insert.bind(now).bind(tolerance).execute(&mut *connection).await?;
        } else {
            let update =
                sqlx::query(update.clone()).bind(ask.slot).bind(ask.slot).bind(until).bind(lease).bind(ask.run);
            let update = update.bind(name).bind(now).bind(tolerance).bind(ask.run).bind(ask.slot);
            update.bind(ask.slot).bind(now).bind(now).bind(now).execute(&mut *connection).await?;
        }
        let (database, row) = read_row::<MySql>(connection, read, name).await?;
        if row.as_ref().is_some_and(|row| row.is_of(ask.slot, ask.run)) {
            return Ok(Claimed::new(None, skew));
        }
        // As in `sql.rs`: if nothing is in the way any more, it was held when this run asked.
        let lost = protocol::decide(row.as_ref(), ask, database, *tolerance);
        Ok(Claimed::new(Some(lost.unwrap_or(LostCause::Held)), skew))
    }

    async fn holds(&self, name: &str, slot: Slot, run: &str) -> Result<bool, LeaseError> {
        let mut connection = acquire(&self.pool).await?;
        let answer = in_time(read_row::<MySql>(&mut connection, &self.statements.read, name)).await;
        let (clock, row) = settled(&mut connection, answer)?;
        Ok(protocol::holds(row.as_ref(), slot.unix_millis(), run, clock))
    }

    /// `None`: the clock is off.
    async fn run_renewal(
        &self,
        connection: &mut MySqlConnection,
        claim: &Claim<'_>,
    ) -> Result<Option<bool>, sqlx::Error> {
        let Statements { read, renew, tolerance, .. } = &self.statements;
        let (now, slot, run) = (claim.now_millis(), claim.slot_millis(), claim.run());
        let until = now.saturating_add(claim.lease_millis());
        let renew = sqlx::query(renew.clone()).bind(until).bind(claim.lease_millis());
        let renew = renew.bind(claim.name()).bind(slot).bind(run).bind(now).bind(tolerance);
        renew.execute(&mut *connection).await?;
        let (_, row) = read_row::<MySql>(connection, read, claim.name()).await?;
        let Some(row) = row.filter(|row| row.is_of(slot, run)) else { return Ok(Some(false)) };
        Ok((row.lease_until == Some(until)).then_some(true))
    }

    async fn renew(&self, claim: &Claim<'_>) -> Result<bool, LeaseError> {
        let mut connection = acquire(&self.pool).await?;
        let answer = in_time(self.run_renewal(&mut connection, claim)).await;
        settled(&mut connection, answer)?.ok_or_else(|| LeaseError::new(LeaseErrorKind::Skew))
    }

    async fn hand_back(&self, name: &str, slot: Slot, run: &str) -> Result<(), LeaseError> {
        let mut connection = acquire(&self.pool).await?;
        let given = sqlx::query(HAND_BACK).bind(name).bind(slot.unix_millis()).bind(run);
        let answer = in_time(given.execute(&mut *connection)).await;
        settled(&mut connection, answer).map(drop)
    }

    async fn last_slot(&self, name: &str) -> Result<Option<Slot>, LeaseError> {
        let mut connection = acquire(&self.pool).await?;
        let answer = in_time(read_row::<MySql>(&mut connection, &self.statements.read, name)).await;
        let (_, row) = settled(&mut connection, answer)?;
        Ok(row.and_then(|row| row.last_taken()).map(Slot::from_unix_millis))
    }

    async fn release(&self, name: &str, run: &str) -> Result<(), LeaseError> {
        let mut connection = acquire(&self.pool).await?;
        let answer = in_time(sqlx::query(RELEASE).bind(name).bind(run).execute(&mut *connection)).await;
        settled(&mut connection, answer).map(drop)
    }
}

impl LeaseStore for MySqlLeases {
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
        Some(MySql::NAME)
    }

    fn release<'a>(&'a self, name: &'a str, run: &'a str) -> BoxFuture<'a, Result<(), LeaseError>> {
        Box::pin(self.release(name, run))
    }
}

/// Without the pool: its options hold the password.
impl fmt::Debug for MySqlLeases {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("MySqlLeases")
    }
}
