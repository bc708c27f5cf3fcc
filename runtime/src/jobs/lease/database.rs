//! Leases in a table of the application's own database: what the stores of all engines have in common.

use std::{fmt, future::Future, time::Duration};

use sqlx::{Error, Pool, SqlSafeStr, SqlStr, pool::PoolConnection};

use super::{
    error::{LeaseError, LeaseErrorKind},
    pool::{acquire, in_time, told},
    protocol::{self, Row, TOLERANCE},
    seen::LeaseRow,
    sql::{Statements, Value},
    store::{Claim, Claimed, LeaseStore},
    text::TABLE,
};
use crate::{
    jobs::Slot,
    platform::BoxFuture,
    schema::{self, InvalidTableName, Table},
    unit::Engine,
};

/// How long [`DatabaseLeases::install`] asks again while others are in the way.
const INSTALL_PATIENCE: Duration = Duration::from_secs(10);

/// What a lease store asks of its database engine. One file an engine implements it.
pub trait LeaseEngine: Engine {
    /// The database's own clock, as an SQL expression in milliseconds since the epoch.
    #[doc(hidden)]
    const CLOCK: &'static str;
    /// What stands around the name of a table.
    #[doc(hidden)]
    const QUOTE: char;
    /// How the value that has this number, from 1 on, is marked in a statement.
    #[doc(hidden)]
    #[must_use]
    fn mark(number: usize) -> String {
        format!("${number}")
    }
    /// The text of the table.
    #[doc(hidden)]
    const SCHEMA: &'static str;

    /// The statements of a claim.
    #[doc(hidden)]
    type Claims: Clone + Send + Sync + 'static;

    /// All statements. The table is quoted.
    #[doc(hidden)]
    fn statements(clock: &str, table: &str) -> (Self::Claims, Statements);

    /// Claims, each statement in its own autocommit: at REPEATABLE READ, or in a transaction of the application, a write could fail where
    /// it now just loses.
    #[doc(hidden)]
    fn claim(
        connection: &mut Self::Connection,
        leases: &DatabaseLeases<Self>,
        claim: &Claim<'_>,
    ) -> impl Future<Output = Result<Claimed, Error>> + Send;

    /// The database's clock, and the job's row if there is one.
    #[doc(hidden)]
    fn read(
        connection: &mut Self::Connection,
        statement: &SqlStr,
        name: &str,
    ) -> impl Future<Output = Result<(i64, Option<Row>), Error>> + Send;

    /// Runs a statement to its end.
    #[doc(hidden)]
    fn write(
        connection: &mut Self::Connection,
        statement: &SqlStr,
        values: &[Value<'_>],
    ) -> impl Future<Output = Result<(), Error>> + Send;

    /// An answer that comes, or `None`: the server is gone without a word, or the row or the table is locked.
    #[doc(hidden)]
    #[must_use]
    fn in_time<T: Send>(
        answer: impl Future<Output = Result<T, Error>> + Send,
    ) -> impl Future<Output = Option<Result<T, Error>>> + Send {
        in_time(answer)
    }

    /// Tells what the code of an error does not.
    #[doc(hidden)]
    #[must_use]
    fn explained(
        connection: &mut Self::Connection,
        table: &str,
        error: LeaseError,
    ) -> impl Future<Output = LeaseError> + Send {
        let _ = (connection, table);
        std::future::ready(error)
    }

    /// Runs the text of the table; safe from many replicas at once.
    #[doc(hidden)]
    fn create(connection: &mut Self::Connection, text: String) -> impl Future<Output = Result<(), Error>> + Send;
}

/// Leases in a table of the application's own database: `SqliteLeases`, `PostgresLeases` and `MySqlLeases`, by feature.
pub struct DatabaseLeases<DB: LeaseEngine> {
    pool: Pool<DB>,
    clock: SqlStr,
    table: Table,
    pub(super) claims: DB::Claims,
    pub(super) statements: Statements,
    /// How far clocks may differ, in milliseconds.
    pub(super) tolerance: i64,
}

impl<DB: LeaseEngine> DatabaseLeases<DB> {
    /// Leases in this pool's database; the pool is shared, not copied.
    #[must_use]
    pub fn new(pool: &Pool<DB>) -> Self {
        Self::built(pool.clone(), DB::CLOCK.into_sql_str(), Table::ours(TABLE), TOLERANCE)
    }

    fn built(pool: Pool<DB>, clock: SqlStr, table: Table, tolerance: i64) -> Self {
        let (claims, statements) = DB::statements(clock.as_str(), &table.quoted(DB::QUOTE));
        Self { pool, clock, table, claims, statements, tolerance }
    }

    /// Another name of the table than `jobs_leases`, with its schema in front if it is not where the connections look:
    /// `leases.table("ops.billing_leases")?`. Two applications of one database need two tables, unless their jobs' names differ.
    /// Fenced units ask the same table.
    ///
    /// # Errors
    /// What is not one or two of `[a-z_][a-z0-9_]*`, each of at most 63 bytes: such a name means the same with and without quotes, on
    /// every database.
    pub fn table(self, name: &str) -> Result<Self, InvalidTableName> {
        Ok(Self::built(self.pool, self.clock, Table::parse(name)?, self.tolerance))
    }

    /// Another clock than the database's own: an SQL expression in milliseconds since the epoch.
    ///
    /// For tests and sped-up clocks. The claim compares it with the claimer's clock, see [`LostCause::Skew`](super::LostCause::Skew).
    #[must_use]
    pub fn database_clock(self, expression: impl SqlSafeStr) -> Self {
        Self::built(self.pool, expression.into_sql_str(), self.table, self.tolerance)
    }

    /// How far the claimer's clock and the database's may differ, 30 s if nothing is said. More than half the lease's
    /// extra minute lets two accepted replicas overlap; a sped-up clock scales it (`docs/rules.md#the-databases-clock-is-the-judge`).
    #[must_use]
    pub fn clock_tolerance(mut self, tolerance: Duration) -> Self {
        self.tolerance = i64::try_from(tolerance.as_millis()).unwrap_or(i64::MAX);
        self
    }

    /// The table as SQL, under its name: what [`install`](Self::install) runs.
    #[must_use]
    pub fn schema(&self) -> String {
        schema::named(DB::SCHEMA, TABLE, &self.table.quoted(DB::QUOTE))
    }

    /// Creates the table if it is not there. Safe from many replicas at once, and safe to call at every start: a role that may not CREATE
    /// is refused only where the table is missing. A schema must be there.
    ///
    /// # Errors
    /// [`LeaseErrorKind::Contention`] when others leave no room for 10 s, [`LeaseErrorKind::MissingTable`] when a table of that name is
    /// there but lacks columns; otherwise what the database refused.
    pub async fn install(&self) -> Result<(), LeaseError> {
        let tried = tokio::time::timeout(INSTALL_PATIENCE, async {
            loop {
                match self.try_install().await {
                    Err(error) if error.kind() == LeaseErrorKind::Contention => {
                        tokio::time::sleep(Duration::from_millis(rand::random_range(1..=20))).await;
                    }
                    done => return done,
                }
            }
        });
        tried.await.unwrap_or_else(|_| Err(LeaseError::new(LeaseErrorKind::Contention)))
    }

    async fn try_install(&self) -> Result<(), LeaseError> {
        // A plain read first: replicas that start later take no lock.
        match self.check().await {
            Err(error) if error.kind() == LeaseErrorKind::MissingTable => {}
            // SQLite cannot tell a table that another replica has made between two looks: a third one can.
            Err(error) if error.kind() == LeaseErrorKind::Refused => match self.check().await {
                Err(error) if error.kind() == LeaseErrorKind::MissingTable => {}
                done => return done,
            },
            done => return done,
        }
        let mut connection = acquire(&self.pool).await?;
        let answer = DB::in_time(DB::create(&mut connection, self.schema())).await;
        self.told(&mut connection, answer).await?;
        drop(connection);
        self.check().await
    }

    /// Can the database be reached, and is the table there with all its columns?
    ///
    /// # Errors
    /// [`LeaseErrorKind::MissingTable`] names the call that creates it; [`LeaseErrorKind::ConnectionLost`] after 5 s.
    pub async fn check(&self) -> Result<(), LeaseError> {
        self.read("").await.map(drop)
    }

    async fn read(&self, name: &str) -> Result<(i64, Option<Row>), LeaseError> {
        let mut connection = acquire(&self.pool).await?;
        let answer = DB::in_time(DB::read(&mut connection, &self.statements.read, name)).await;
        self.told(&mut connection, answer).await
    }

    async fn write(&self, statement: &SqlStr, values: &[Value<'_>]) -> Result<(), LeaseError> {
        let mut connection = acquire(&self.pool).await?;
        let answer = DB::in_time(DB::write(&mut connection, statement, values)).await;
        self.told(&mut connection, answer).await
    }

    /// A connection that did not answer must not meet the next one who takes it from the pool.
    async fn told<T>(
        &self,
        connection: &mut PoolConnection<DB>,
        answer: Option<Result<T, Error>>,
    ) -> Result<T, LeaseError> {
        let error = match answer {
            Some(Ok(answer)) => return Ok(answer),
            Some(Err(error)) => DB::explained(connection, self.table.as_str(), told(error)).await,
            None => {
                connection.close_on_drop();
                LeaseError::new(LeaseErrorKind::ConnectionLost)
            }
        };
        Err(error.in_table(self.table.as_str()))
    }
}

impl<DB: LeaseEngine> LeaseStore for DatabaseLeases<DB> {
    fn check(&self) -> BoxFuture<'_, Result<(), LeaseError>> {
        Box::pin(self.check())
    }

    fn claim<'a>(&'a self, claim: &'a Claim<'a>) -> BoxFuture<'a, Result<Claimed, LeaseError>> {
        Box::pin(async move {
            let mut connection = acquire(&self.pool).await?;
            let answer = DB::in_time(DB::claim(&mut connection, self, claim)).await;
            self.told(&mut connection, answer).await
        })
    }

    fn holds<'a>(&'a self, name: &'a str, token: i64, run: &'a str) -> BoxFuture<'a, Result<bool, LeaseError>> {
        Box::pin(async move {
            let (clock, row) = self.read(name).await?;
            Ok(protocol::holds(row.as_ref(), token, run, clock))
        })
    }

    fn renew<'a>(&'a self, claim: &'a Claim<'a>, token: i64) -> BoxFuture<'a, Result<bool, LeaseError>> {
        Box::pin(async move {
            let (name, run, now, lease) = (claim.name(), claim.run(), claim.now_millis(), claim.lease_millis());
            let until = now.saturating_add(lease);
            let values = [
                Value::Number(until),
                Value::Number(lease),
                Value::Text(name),
                Value::Number(token),
                Value::Text(run),
                Value::Number(now),
                Value::Number(self.tolerance),
            ];
            self.write(&self.statements.renew, &values).await?;
            // Not how many rows the driver says were changed: what is there.
            match self.read(name).await?.1.filter(|row| row.is_of(token, run) && row.lease_until.is_some()) {
                None => Ok(false),
                Some(row) if row.lease_until == Some(until) => Ok(true),
                Some(_) => Err(LeaseError::new(LeaseErrorKind::Skew)),
            }
        })
    }

    fn release<'a>(&'a self, name: &'a str, run: &'a str) -> BoxFuture<'a, Result<(), LeaseError>> {
        Box::pin(async move { self.write(&self.statements.release, &[Value::Text(name), Value::Text(run)]).await })
    }

    fn hand_back<'a>(&'a self, name: &'a str, slot: Slot, run: &'a str) -> BoxFuture<'a, Result<(), LeaseError>> {
        Box::pin(async move {
            let values = [Value::Text(name), Value::Number(slot.unix_millis()), Value::Text(run)];
            self.write(&self.statements.hand_back, &values).await
        })
    }

    fn pause<'a>(&'a self, name: &'a str, reason: &'a str) -> BoxFuture<'a, Result<(), LeaseError>> {
        Box::pin(async move { self.write(&self.statements.pause, &[Value::Text(name), Value::Text(reason)]).await })
    }

    fn resume<'a>(&'a self, name: &'a str) -> BoxFuture<'a, Result<(), LeaseError>> {
        Box::pin(async move { self.write(&self.statements.resume, &[Value::Text(name)]).await })
    }

    fn row<'a>(&'a self, name: &'a str) -> BoxFuture<'a, Result<Option<LeaseRow>, LeaseError>> {
        Box::pin(async move { Ok(self.read(name).await?.1.map(LeaseRow::from)) })
    }

    fn database(&self) -> Option<&'static str> {
        Some(DB::NAME)
    }

    fn table(&self) -> &str {
        self.table.as_str()
    }
}

impl<DB: LeaseEngine> Clone for DatabaseLeases<DB> {
    fn clone(&self) -> Self {
        Self {
            pool: self.pool.clone(),
            clock: self.clock.clone(),
            table: self.table.clone(),
            claims: self.claims.clone(),
            statements: self.statements.clone(),
            tolerance: self.tolerance,
        }
    }
}

/// Without the pool: its options may hold a secret.
impl<DB: LeaseEngine> fmt::Debug for DatabaseLeases<DB> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DatabaseLeases").field("table", &self.table.as_str()).finish_non_exhaustive()
    }
}
