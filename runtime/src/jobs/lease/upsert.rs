//! The claim of PostgreSQL and SQLite: one text but for the expression of the database's clock.

use sqlx::{ColumnIndex, Database, Decode, Encode, Executor, IntoArguments, Row as _, SqlStr, Type};

use super::{
    database::{DatabaseLeases, LeaseEngine},
    protocol::{self, Ask, LIE, LONGEST_LEASE, LostCause, MINUTE, NEVER},
    store::{Claim, Claimed},
};
use crate::sql::assembled;

/// What makes the INSERT of a pause an UPDATE.
pub(super) const ON_CONFLICT: &str =
    "ON CONFLICT (name) DO UPDATE SET paused_at = excluded.paused_at, pause_reason = excluded.pause_reason";

/// The two kinds of claims.
#[derive(Clone)]
pub struct Upserts {
    pub(super) slot: SqlStr,
    pub(super) manual: SqlStr,
}

impl Upserts {
    /// `clock` is an SQL expression, `table` is quoted.
    pub(super) fn new(clock: &str, table: &str) -> Self {
        Self { slot: assembled(slot(clock, table)), manual: assembled(manual(clock, table)) }
    }
}

/// Is the lease `l` free, run out, or a lie by its owner's own measure? A `lease_ms` that nobody writes counts as 0, which also keeps the
/// sum within 64 bits: `$1` lies in the years 0 to 9999.
fn free() -> String {
    format!(
        "(l.lease_until IS NULL OR l.lease_until < $1 OR l.lease_until > $1 + {LIE} + \
         CASE WHEN l.lease_ms BETWEEN 0 AND {LONGEST_LEASE} THEN l.lease_ms ELSE 0 END)"
    )
}

/// `$1` now, `$2` tolerance, `$3` name, `$4` lease, `$5` run, `$6` slot. One row back: the run has the slot.
///
/// The clauses: the guard (a clock that is off claims nothing, and nobody a slot that is not yet), asked again once the row is locked,
/// since the wait for it may have outlived the lease; the same run asks again; the job is not paused; the slot is newer, or the last one
/// is a lie; the lease can be taken.
fn slot(clock: &str, table: &str) -> String {
    let free = free();
    let guard = format!("ABS({clock} - $1) <= $2 AND $6 - $1 <= $2");
    format!(
        "INSERT INTO {table} AS l (name, last_slot, lease_until, lease_ms, holder) \
         SELECT $3, $6, $1 + $4, $4, $5 WHERE {guard} \
         ON CONFLICT (name) DO UPDATE SET \
           prev_slot = CASE WHEN l.last_slot = excluded.last_slot OR l.last_slot % {MINUTE} <> 0 \
             THEN l.prev_slot ELSE l.last_slot END, \
           last_slot = excluded.last_slot, lease_until = excluded.lease_until, \
           lease_ms = excluded.lease_ms, holder = excluded.holder \
         WHERE {guard} \
           AND ((l.holder = excluded.holder AND l.last_slot = excluded.last_slot) \
           OR (l.paused_at IS NULL \
             AND (l.last_slot IS NULL OR l.last_slot < excluded.last_slot OR l.last_slot > $1 + {LIE}) AND {free})) \
         RETURNING last_slot"
    )
}

/// `$1` to `$5` as above. One row back: the run has the lease, under the token in it.
fn manual(clock: &str, table: &str) -> String {
    let free = free();
    let guard = format!("ABS({clock} - $1) <= $2");
    format!(
        "INSERT INTO {table} AS l (name, last_slot, lease_until, lease_ms, holder) \
         SELECT $3, {NEVER}, $1 + $4, $4, $5 WHERE {guard} \
         ON CONFLICT (name) DO UPDATE SET \
           last_slot = COALESCE(l.last_slot, {NEVER}), lease_until = excluded.lease_until, \
           lease_ms = excluded.lease_ms, holder = excluded.holder \
         WHERE {guard} AND (l.holder = excluded.holder OR {free}) \
         RETURNING last_slot"
    )
}

/// A claim on one connection.
pub(super) async fn claim<DB>(
    connection: &mut DB::Connection,
    leases: &DatabaseLeases<DB>,
    claim: &Claim<'_>,
) -> Result<Claimed, sqlx::Error>
where
    DB: LeaseEngine<Claims = Upserts>,
    for<'c> &'c mut DB::Connection: Executor<'c, Database = DB>,
    <DB as Database>::Arguments: IntoArguments<DB>,
    usize: ColumnIndex<DB::Row>,
    for<'v> i64: Type<DB> + Encode<'v, DB> + Decode<'v, DB>,
    for<'v> String: Type<DB> + Encode<'v, DB>,
{
    let (read, tolerance, now) = (&leases.statements.read, leases.tolerance, claim.now_millis());
    let ask = Ask { slot: claim.slot_millis(), now, run: claim.run() };
    let (database, row) = DB::read(connection, read, claim.name()).await?;
    let skew = now.saturating_sub(database);
    if let Some(lost) = protocol::decide(row.as_ref(), ask, database, tolerance) {
        // No write, no lock, no row version: ten times cheaper than a losing upsert.
        return Ok(Claimed::lost(lost, skew));
    }
    let text = if ask.slot.is_some() { &leases.claims.slot } else { &leases.claims.manual };
    let query = sqlx::query::<DB>(text.clone()).bind(now).bind(tolerance).bind(claim.name().to_owned());
    let mut query = query.bind(claim.lease_millis()).bind(claim.run().to_owned());
    if let Some(slot) = ask.slot {
        query = query.bind(slot);
    }
    // All rows, to the end of the statement: a commit that fails is seen.
    let won = query.fetch_all(&mut *connection).await?;
    if let Some(won) = won.first() {
        return Ok(Claimed::won(won.try_get(0)?, skew));
    }
    // Somebody was faster; the row says how. If nothing is in the way any more, it was held when this run asked (or this
    // process was paused between the read and the write, and the guard refused it).
    let (database, row) = DB::read(connection, read, claim.name()).await?;
    let lost = protocol::decide(row.as_ref(), ask, database, tolerance);
    Ok(Claimed::lost(lost.unwrap_or(LostCause::Held), skew))
}

#[cfg(all(test, feature = "sqlite"))]
#[path = "upsert_tests.rs"]
mod tests;
