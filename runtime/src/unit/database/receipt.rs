//! `idempotent = receipt(param)`: a row in the unit's own transaction says that it was applied under this key, and what it
//! returned. A replay that finds the row returns what is recorded and runs no body.

#![cfg_attr(not(any(feature = "sqlite", feature = "postgres")), allow(dead_code))] // the statements of those two

use std::{error::Error, fmt, ops::ControlFlow};

use serde::{Serialize, de::DeserializeOwned};
use sqlx::{ColumnIndex, Database, Decode, Encode, Executor, IntoArguments, Row as _, Type};

use super::{Engine, Open, Unit, checkout::Broken, ended::BoxError, timer::AttemptTimedOut};
use crate::{
    clock::{Clock, SystemClock, since_epoch},
    retry::{Kind, Outcome},
};

/// PostgreSQL and SQLite.
pub(super) const INSERT_RETURNING: &str = "INSERT INTO unit_receipts (unit, key, result, created_at) VALUES ($1, $2, '', $3) \
                                           ON CONFLICT (unit, key) DO NOTHING RETURNING created_at";
pub(super) const SELECT: &str = "SELECT result FROM unit_receipts WHERE unit = $1 AND key = $2";
pub(super) const UPDATE: &str = "UPDATE unit_receipts SET result = $1 WHERE unit = $2 AND key = $3";
pub(super) const DELETE: &str = "DELETE FROM unit_receipts WHERE created_at < $1";

/// A unit's result that a receipt can hold: it is stored as JSON.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be kept in a receipt",
    label = "a replay returns what is recorded, so the result is stored as JSON",
    note = "derive it, for example `#[derive(serde::Serialize, serde::Deserialize)]`, or return less, for example an id"
)]
pub trait Recordable: Serialize + DeserializeOwned {}
#[diagnostic::do_not_recommend]
impl<T: Serialize + DeserializeOwned> Recordable for T {}

/// A parameter that can be the key of a receipt: its text is.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the key of a receipt",
    label = "the key is stored as text",
    note = "take an id that implements `Display`, for example `order: i64` or `key: &str`"
)]
pub trait ReceiptKey: fmt::Display {}
#[diagnostic::do_not_recommend]
impl<K: fmt::Display + ?Sized> ReceiptKey for K {}

/// The key of one call, and how its result is written and read. The only place with bounds on either: one mistake, one message.
pub struct Receipt<T> {
    key: String,
    write: fn(&T) -> serde_json::Result<String>,
    read: fn(&str) -> serde_json::Result<T>,
}

impl<T> fmt::Debug for Receipt<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Receipt").finish_non_exhaustive()
    }
}

/// The receipt of a call.
#[must_use]
pub fn receipt<T: Recordable, K: ReceiptKey + ?Sized>(key: &K) -> Receipt<T> {
    Receipt {
        key: key.to_string(),
        write: |value| serde_json::to_string(value),
        read: |text| serde_json::from_str(text),
    }
}

impl<E> Unit<E> {
    /// Claims the receipt. `Break`: the attempt ends with this, a body does not run.
    pub async fn recorded<DB: Engine, T>(
        &mut self,
        open: &mut Open<'_, DB>,
        receipt: &Receipt<T>,
    ) -> ControlFlow<Option<Result<T, E>>> {
        let (unit, key) = (self.declaration.name, &receipt.key);
        let claimed = self.timer.bound(DB::claim_receipt(&mut open.transaction, unit, key, now())).await;
        let found = match taken(open, claimed) {
            Some(true) => return ControlFlow::Continue(()),
            Some(false) => {
                let found = self.timer.bound(DB::read_receipt(&mut open.transaction, unit, key)).await;
                taken(open, found)
            }
            None => None,
        };
        match found.map(|text| (receipt.read)(&text)) {
            Some(Ok(value)) => ControlFlow::Break(Some(Ok(value))),
            Some(Err(error)) => {
                // The unit was applied by an earlier call; what it returned then is not what it returns now.
                let error = Box::new(Unreadable(error));
                open.broken = Some(Broken { kind: Kind::Other, outcome: Outcome::InDoubt, error });
                ControlFlow::Break(None)
            }
            None => ControlFlow::Break(None),
        }
    }

    /// Writes down what the body returned, in its transaction.
    pub async fn record<DB: Engine, T>(
        &mut self,
        open: &mut Open<'_, DB>,
        receipt: &Receipt<T>,
        result: &Option<Result<T, E>>,
    ) {
        let Some(Ok(value)) = result else { return };
        if open.seen.refused.is_some() || open.seen.unanswered {
            return;
        }
        match (receipt.write)(value) {
            Ok(text) => {
                let (unit, key) = (self.declaration.name, &receipt.key);
                let written = self.timer.bound(DB::write_receipt(&mut open.transaction, unit, key, &text)).await;
                taken(open, written);
            }
            Err(error) => {
                let error = Box::new(error);
                open.broken = Some(Broken { kind: Kind::Other, outcome: Outcome::NotApplied, error });
            }
        }
    }
}

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

/// The recorded result is not what the unit returns today.
#[derive(Debug)]
struct Unreadable(serde_json::Error);

impl fmt::Display for Unreadable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(
            "the unit was applied by an earlier call with this key, and its recorded result cannot be read as what it \
             returns today; keep the result's type readable, or use a new key",
        )
    }
}

impl Error for Unreadable {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        Some(&self.0)
    }
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
