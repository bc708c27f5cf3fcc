//! The statements of receipts.

#![cfg_attr(not(any(feature = "sqlite", feature = "postgres")), allow(dead_code))] // the statements of those two

use sqlx::{ColumnIndex, Database, Decode, Encode, Executor, IntoArguments, Row as _, Type};

use super::{
    Engine, Open,
    checkout::Broken,
    ended::BoxError,
    timer::{AttemptTimedOut, Timer},
};
use crate::{
    clock::{Clock, SystemClock, since_epoch},
    retry::{Kind, Outcome},
    unit::receipt::KeepsReceipts,
};

/// PostgreSQL and SQLite.
pub(super) const INSERT_RETURNING: &str = "INSERT INTO unit_receipts (unit, key, result, created_at) VALUES ($1, $2, '', $3) \
                                           ON CONFLICT (unit, key) DO NOTHING RETURNING created_at";
pub(super) const SELECT: &str = "SELECT result FROM unit_receipts WHERE unit = $1 AND key = $2";
pub(super) const UPDATE: &str = "UPDATE unit_receipts SET result = $1 WHERE unit = $2 AND key = $3";
pub(super) const DELETE: &str = "DELETE FROM unit_receipts WHERE created_at < $1";

/// An `impl` an engine. One for all of them would be the only one there is, and rustc would then take D1's batch for its transaction.
macro_rules! keeps_receipts {
    ($DB:ident) => {
        #[diagnostic::do_not_recommend]
        impl<'c> KeepsReceipts<Open<'c, Self>> for sqlx::$DB {
            async fn claim(open: &mut Open<'c, Self>, timer: &mut Timer, unit: &str, key: &str) -> Option<bool> {
                let claimed = timer.bound(Self::claim_receipt(&mut open.transaction, unit, key, now())).await;
                taken(open, claimed)
            }

            async fn read(open: &mut Open<'c, Self>, timer: &mut Timer, unit: &str, key: &str) -> Option<String> {
                let found = timer.bound(Self::read_receipt(&mut open.transaction, unit, key)).await;
                taken(open, found)
            }

            async fn write(open: &mut Open<'c, Self>, timer: &mut Timer, unit: &str, key: &str, result: &str) {
                let written = timer.bound(Self::write_receipt(&mut open.transaction, unit, key, result)).await;
                taken(open, written);
            }

            fn is_over(open: &Open<'c, Self>) -> bool {
                open.seen.refused.is_some() || open.seen.unanswered
            }

            fn stop(open: &mut Open<'c, Self>, kind: Kind, outcome: Outcome, error: BoxError) {
                open.broken = Some(Broken { kind, outcome, error });
            }
        }
    };
}

#[cfg(feature = "mysql")]
keeps_receipts!(MySql);
#[cfg(feature = "postgres")]
keeps_receipts!(Postgres);
#[cfg(feature = "sqlite")]
keeps_receipts!(Sqlite);

/// Takes the answer to a statement of the runtime's own; `None`: it was refused, or the time is over, and the attempt ends.
pub(super) fn taken<DB: Engine, T>(open: &mut Open<'_, DB>, answer: Option<Result<T, sqlx::Error>>) -> Option<T> {
    let (kind, error): (_, BoxError) = match answer {
        Some(Ok(answer)) => return Some(answer),
        Some(Err(error)) => {
            let verdict = DB::verdict(&error);
            open.seen.evict |= verdict.evict;
            (verdict.kind, error.into())
        }
        None => (Kind::AttemptTimeout, AttemptTimedOut.into()),
    };
    open.broken = Some(Broken { kind, outcome: Outcome::NotApplied, error });
    None
}

/// The wall clock, in milliseconds; what a pruning by age counts from.
pub(super) fn now() -> i64 {
    let (seconds, nanos) = since_epoch(SystemClock.now());
    seconds.saturating_mul(1000).saturating_add(i64::from(nanos / 1_000_000))
}

/// Inserts the receipt with `sql`, which returns a row when it did. Waits for a transaction that is inserting the same one.
pub(super) async fn claim<DB: Database>(
    connection: &mut DB::Connection,
    sql: &'static str,
    unit: &str,
    key: &str,
    now: i64,
) -> Result<bool, sqlx::Error>
where
    for<'c> &'c mut DB::Connection: Executor<'c, Database = DB>,
    DB::Arguments: IntoArguments<DB>,
    for<'v> i64: Type<DB> + Encode<'v, DB>,
    for<'v> String: Type<DB> + Encode<'v, DB>,
{
    let claimed = sqlx::query::<DB>(sql).bind(unit.to_owned()).bind(key.to_owned()).bind(now);
    Ok(claimed.fetch_optional(connection).await?.is_some())
}

/// Reads the recorded result.
pub(super) async fn read<DB: Database>(
    connection: &mut DB::Connection,
    sql: &'static str,
    unit: &str,
    key: &str,
) -> Result<String, sqlx::Error>
where
    for<'c> &'c mut DB::Connection: Executor<'c, Database = DB>,
    DB::Arguments: IntoArguments<DB>,
    usize: ColumnIndex<DB::Row>,
    for<'v> String: Type<DB> + Encode<'v, DB> + Decode<'v, DB>,
{
    let found = sqlx::query::<DB>(sql).bind(unit.to_owned()).bind(key.to_owned());
    found.fetch_one(connection).await?.try_get(0)
}

/// Writes the result into the receipt.
pub(super) async fn write<DB: Database>(
    connection: &mut DB::Connection,
    sql: &'static str,
    unit: &str,
    key: &str,
    result: &str,
) -> Result<(), sqlx::Error>
where
    for<'c> &'c mut DB::Connection: Executor<'c, Database = DB>,
    DB::Arguments: IntoArguments<DB>,
    for<'v> String: Type<DB> + Encode<'v, DB>,
{
    let written = sqlx::query::<DB>(sql).bind(result.to_owned()).bind(unit.to_owned()).bind(key.to_owned());
    written.execute(connection).await.map(drop)
}
