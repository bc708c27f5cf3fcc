//! `idempotent = receipt(param)`: a row in the unit's own transaction says that it was applied under this key, and what it
//! returned. A replay that finds the row returns what is recorded and runs no body.

#![allow(async_fn_in_trait, reason = "as in `attempt`")]

use std::{error::Error, fmt, ops::ControlFlow};

use serde::{Serialize, de::DeserializeOwned};

use super::{boundary::Unit, ended::BoxError, timer::Timer};
use crate::retry::{Kind, Outcome};

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

/// A database whose units read and write receipts in their transaction, an `O`. `None` of an answer: it was refused, and the attempt ends.
#[diagnostic::on_unimplemented(
    message = "a receipt is read within its unit's transaction, and a unit on `{Self}` is sent as one batch",
    label = "no receipts there",
    note = "make the statement itself harmless to repeat, for example `insert … on conflict do nothing`, and say `idempotent = client_id(key)`"
)]
pub trait KeepsReceipts<O> {
    /// Whether it is new: `false` when there is one already.
    async fn claim(open: &mut O, timer: &mut Timer, unit: &str, key: &str) -> Option<bool>;
    /// What it has recorded.
    async fn read(open: &mut O, timer: &mut Timer, unit: &str, key: &str) -> Option<String>;
    /// Records a result.
    async fn write(open: &mut O, timer: &mut Timer, unit: &str, key: &str, result: &str);
    /// Whether the attempt is over: a statement of it was refused, or is unanswered.
    fn is_over(open: &O) -> bool;
    /// Ends the attempt.
    fn stop(open: &mut O, kind: Kind, outcome: Outcome, error: BoxError);
}

/// Claims the receipt. `Break`: the attempt ends with this, a body does not run.
pub async fn recorded<DB: KeepsReceipts<O>, O, T, E>(
    unit: &mut Unit<E>,
    open: &mut O,
    receipt: &Receipt<T>,
) -> ControlFlow<Option<Result<T, E>>> {
    let (name, key) = (unit.declaration.name, &receipt.key);
    let found = match DB::claim(open, &mut unit.timer, name, key).await {
        Some(true) => return ControlFlow::Continue(()),
        Some(false) => DB::read(open, &mut unit.timer, name, key).await,
        None => None,
    };
    match found.map(|text| (receipt.read)(&text)) {
        Some(Ok(value)) => ControlFlow::Break(Some(Ok(value))),
        Some(Err(error)) => {
            // The unit was applied by an earlier call; what it returned then is not what it returns now.
            DB::stop(open, Kind::Other, Outcome::InDoubt, Box::new(Unreadable(error)));
            ControlFlow::Break(None)
        }
        None => ControlFlow::Break(None),
    }
}

/// Writes down what the body returned, in its transaction.
pub async fn record<DB: KeepsReceipts<O>, O, T, E>(
    unit: &mut Unit<E>,
    open: &mut O,
    receipt: &Receipt<T>,
    result: &Option<Result<T, E>>,
) {
    let Some(Ok(value)) = result else { return };
    if DB::is_over(open) {
        return;
    }
    match (receipt.write)(value) {
        Ok(text) => DB::write(open, &mut unit.timer, unit.declaration.name, &receipt.key, &text).await,
        Err(error) => DB::stop(open, Kind::Other, Outcome::NotApplied, Box::new(error)),
    }
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
