//! The statements of a lease store: one text for PostgreSQL and SQLite but for the expression of the database's clock.

use std::time::Duration;

use sqlx::{ColumnIndex, Database, Decode, Encode, Executor, IntoArguments, SqlSafeStr, SqlStr, Type};

use super::{
    protocol::{self, Ask, LIE, LONGEST_LEASE, LostCause, MINUTE, TOLERANCE},
    row::{read, read_row},
    store::{Claim, Claimed},
};
use crate::sql::assembled;

/// Guarded by the holder: a superseded run releases nothing.
pub(super) const RELEASE: &str = "UPDATE jobs_leases SET lease_until = NULL WHERE name = $1 AND holder = $2";

/// Guarded by the holder and the slot, which both change: what the run still writes under a fence commits no more. The slot can be
/// claimed again and none before it, since something of it may have been committed: see `Row::last_taken`.
pub(super) const HAND_BACK: &str = "UPDATE jobs_leases SET lease_until = NULL, last_slot = last_slot - 1, holder = '' \
                                    WHERE name = $1 AND last_slot = $2 AND holder = $3";

/// The texts of a store, with its clock, and how far clocks may differ.
#[derive(Clone)]
pub(super) struct Statements {
    pub(super) read: SqlStr,
    claim: SqlStr,
    renew: SqlStr,
    pub(super) tolerance: i64,
}

impl Statements {
    /// `clock` is an SQL expression: the database's own clock in milliseconds since the epoch.
    pub(super) fn new(clock: impl SqlSafeStr) -> Self {
        let clock = clock.into_sql_str();
        let clock = format!("CAST({} AS BIGINT)", clock.as_str());
        Self {
            read: assembled(read(&clock, "$1")),
            claim: assembled(claim(&clock)),
            renew: assembled(renew(&clock)),
            tolerance: TOLERANCE,
        }
    }

    /// The same with another clock; the tolerance stays.
    pub(super) fn with_clock(&self, clock: impl SqlSafeStr) -> Self {
        Self { tolerance: self.tolerance, ..Self::new(clock) }
    }

    pub(super) fn with_tolerance(mut self, tolerance: Duration) -> Self {
        self.tolerance = i64::try_from(tolerance.as_millis()).unwrap_or(i64::MAX);
        self
    }
}

/// `$1` name, `$2` slot, `$3` now, `$4` lease, `$5` run, `$6` tolerance. One row back: the run has the slot.
///
/// The clauses: the guard (a clock that is off claims nothing), asked again once the row is locked, since the wait for it may have
/// outlived the lease; the same run asks again; the slot is newer, or the last
/// one is a lie; the lease is free, has run out, or is a lie by its owner's own measure. A `lease_ms` that nobody writes
/// counts as 0, which also keeps the sum within 64 bits: `$3` lies in the years 0 to 9999.
fn claim(clock: &str) -> String {
    format!(
        "INSERT INTO jobs_leases (name, last_slot, lease_until, lease_ms, holder, prev_slot) \
         SELECT $1, $2, $3 + $4, $4, $5, CAST(NULL AS BIGINT) WHERE ABS({clock} - $3) <= $6 \
         ON CONFLICT (name) DO UPDATE SET \
           prev_slot = CASE WHEN jobs_leases.last_slot = excluded.last_slot OR jobs_leases.last_slot % {MINUTE} <> 0 \
             THEN jobs_leases.prev_slot ELSE jobs_leases.last_slot END, \
           last_slot = excluded.last_slot, lease_until = excluded.lease_until, \
           lease_ms = excluded.lease_ms, holder = excluded.holder \
         WHERE ABS({clock} - $3) <= $6 \
           AND ((jobs_leases.holder = excluded.holder AND jobs_leases.last_slot = excluded.last_slot) \
           OR ((jobs_leases.last_slot IS NULL OR jobs_leases.last_slot < excluded.last_slot \
               OR jobs_leases.last_slot > $3 + {LIE}) \
             AND (jobs_leases.lease_until IS NULL OR jobs_leases.lease_until < $3 \
               OR jobs_leases.lease_until > $3 + {LIE} + \
                 CASE WHEN jobs_leases.lease_ms BETWEEN 0 AND {LONGEST_LEASE} THEN jobs_leases.lease_ms ELSE 0 END))) \
         RETURNING name"
    )
}

/// `$1` name, `$2` slot, `$3` now, `$4` lease, `$5` run, `$6` tolerance. One row back: the lease is prolonged.
fn renew(clock: &str) -> String {
    format!(
        "UPDATE jobs_leases SET lease_until = $3 + $4, lease_ms = $4 \
         WHERE name = $1 AND last_slot = $2 AND holder = $5 AND ABS({clock} - $3) <= $6 RETURNING name"
    )
}

/// `None`: the clock is off.
pub(super) async fn run_renewal<DB>(
    connection: &mut DB::Connection,
    statements: &Statements,
    claim: &Claim<'_>,
) -> Result<Option<bool>, sqlx::Error>
where
    DB: Database,
    for<'c> &'c mut DB::Connection: Executor<'c, Database = DB>,
    DB::Arguments: IntoArguments<DB>,
    for<'c> &'c str: ColumnIndex<DB::Row>,
    for<'v> i64: Type<DB> + Encode<'v, DB> + Decode<'v, DB>,
    for<'v> &'v str: Type<DB> + Encode<'v, DB>,
    for<'v> String: Type<DB> + Encode<'v, DB> + Decode<'v, DB>,
{
    let renewed = sqlx::query::<DB>(statements.renew.clone())
        .bind(claim.name().to_owned())
        .bind(claim.slot_millis())
        .bind(claim.now_millis())
        .bind(claim.lease_millis())
        .bind(claim.run().to_owned())
        .bind(statements.tolerance)
        .fetch_all(&mut *connection)
        .await?;
    if !renewed.is_empty() {
        return Ok(Some(true));
    }
    let (_, row) = read_row::<DB>(connection, &statements.read, claim.name()).await?;
    let holds = row.is_some_and(|row| row.is_of(claim.slot_millis(), claim.run()));
    Ok(if holds { None } else { Some(false) })
}

/// A claim on one connection, each statement in its own autocommit: at REPEATABLE READ, or in a transaction of the
/// application, the upsert could fail where it now just loses.
pub(super) async fn run_claim<DB>(
    connection: &mut DB::Connection,
    statements: &Statements,
    claim: &Claim<'_>,
) -> Result<Claimed, sqlx::Error>
where
    DB: Database,
    for<'c> &'c mut DB::Connection: Executor<'c, Database = DB>,
    DB::Arguments: IntoArguments<DB>,
    for<'c> &'c str: ColumnIndex<DB::Row>,
    for<'v> i64: Type<DB> + Encode<'v, DB> + Decode<'v, DB>,
    for<'v> &'v str: Type<DB> + Encode<'v, DB>,
    for<'v> String: Type<DB> + Encode<'v, DB> + Decode<'v, DB>,
{
    let now = claim.now_millis();
    let ask = Ask { slot: claim.slot_millis(), now, run: claim.run() };
    let (database, row) = read_row::<DB>(connection, &statements.read, claim.name()).await?;
    let lost = protocol::decide(row.as_ref(), ask, database, statements.tolerance);
    let skew = now.saturating_sub(database);
    if lost.is_some() {
        // No write, no lock, no row version: ten times cheaper than a losing upsert.
        return Ok(Claimed::new(lost, skew));
    }
    let won = sqlx::query::<DB>(statements.claim.clone())
        .bind(claim.name().to_owned())
        .bind(ask.slot)
        .bind(now)
        .bind(claim.lease_millis())
        .bind(claim.run().to_owned())
        .bind(statements.tolerance)
        // All rows, to the end of the statement: a commit that fails is seen.
        .fetch_all(&mut *connection)
        .await?;
    if !won.is_empty() {
        return Ok(Claimed::new(None, skew));
    }
    // Somebody was faster; the row says how. If nothing is in the way any more, it was held when this run asked (or this
    // process was paused between the read and the write, and the guard refused it).
    let (database, row) = read_row::<DB>(connection, &statements.read, claim.name()).await?;
    let lost = protocol::decide(row.as_ref(), ask, database, statements.tolerance);
    Ok(Claimed::new(Some(lost.unwrap_or(LostCause::Held)), skew))
}

#[cfg(all(test, feature = "sqlite"))]
#[path = "sql_tests.rs"]
mod tests;
