//! The claim of PostgreSQL and SQLite: one text but for the expression of the database's clock.

use sqlx::{ColumnIndex, Database, Decode, Encode, Executor, IntoArguments, Row as _, SqlStr, Type};

use super::{
    claim_text,
    database::{DatabaseLeases, LeaseEngine},
    protocol::{self, Ask, LostCause},
    store::{Claim, Claimed},
};
use crate::sql::assembled;

/// The two kinds of claims.
#[derive(Clone)]
pub struct Upserts {
    pub(super) slot: SqlStr,
    pub(super) manual: SqlStr,
}

impl Upserts {
    /// `clock` is an SQL expression, `table` is quoted.
    pub(super) fn new(clock: &str, table: &str) -> Self {
        Self {
            slot: assembled(claim_text::claim_of_slot(clock, table)),
            manual: assembled(claim_text::claim_by_hand(clock, table)),
        }
    }
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
