//! The statements of a lease store that every engine understands. The claim is each engine's own.

use sqlx::{Database, Encode, Executor, IntoArguments, SqlStr, Type};

use super::{protocol::NEVER, row::read};
use crate::sql::assembled;

/// A value of a statement.
#[derive(Clone, Copy, Debug)]
pub enum Value<'a> {
    Text(&'a str),
    Number(i64),
    MaybeText(Option<&'a str>),
    MaybeNumber(Option<i64>),
}

/// All but the claim. The values are those of the marks, in their order.
#[derive(Clone)]
pub struct Statements {
    /// Name.
    pub(super) read: SqlStr,
    /// End of the lease, lease; name, token, run; now and the tolerance.
    pub(super) renew: SqlStr,
    /// Name, run. Guarded by the holder: a superseded run releases nothing.
    pub(super) release: SqlStr,
    /// Name, slot, run. Guarded by the holder and the slot, which both change: what the run still writes under a fence commits no more. The
    /// slot can be claimed again and none before it, since something of it may have been committed: see `Row::last_taken`.
    pub(super) hand_back: SqlStr,
    /// Name, reason.
    pub(super) pause: SqlStr,
    /// Name.
    pub(super) resume: SqlStr,
}

impl Statements {
    /// `clock` is an SQL expression, `table` is quoted. `on_conflict` makes an INSERT an UPDATE of the two columns that it names, `mark`
    /// writes the mark of the value that has this number, from 1 on.
    pub(super) fn new(clock: &str, table: &str, on_conflict: &str, mark: fn(usize) -> String) -> Self {
        let [m1, m2, m3, m4, m5, m6, m7] = std::array::from_fn(|index| mark(index + 1));
        Self {
            read: assembled(read(clock, table, &m1)),
            renew: assembled(format!(
                "UPDATE {table} SET lease_until = {m1}, lease_ms = {m2} \
                 WHERE name = {m3} AND last_slot = {m4} AND holder = {m5} AND lease_until IS NOT NULL AND ABS({clock} - {m6}) <= {m7}"
            )),
            release: assembled(format!("UPDATE {table} SET lease_until = NULL WHERE name = {m1} AND holder = {m2}")),
            hand_back: assembled(format!(
                "UPDATE {table} SET lease_until = NULL, last_slot = last_slot - 1, holder = '' \
                 WHERE name = {m1} AND last_slot = {m2} AND holder = {m3}"
            )),
            pause: assembled(format!(
                "INSERT INTO {table} (name, last_slot, lease_ms, holder, paused_at, pause_reason) \
                 VALUES ({m1}, {NEVER}, 0, '', {clock}, {m2}) {on_conflict}"
            )),
            resume: assembled(format!("UPDATE {table} SET paused_at = NULL, pause_reason = NULL WHERE name = {m1}")),
        }
    }
}

/// Runs a statement to its end: a commit that fails is seen.
pub(super) async fn write<DB>(
    connection: &mut DB::Connection,
    statement: &SqlStr,
    values: &[Value<'_>],
) -> Result<(), sqlx::Error>
where
    DB: Database,
    for<'c> &'c mut DB::Connection: Executor<'c, Database = DB>,
    DB::Arguments: IntoArguments<DB>,
    for<'v> i64: Type<DB> + Encode<'v, DB>,
    for<'v> Option<i64>: Encode<'v, DB>,
    for<'v> String: Type<DB> + Encode<'v, DB>,
    for<'v> Option<String>: Encode<'v, DB>,
{
    let mut query = sqlx::query::<DB>(statement.clone());
    for value in values {
        query = match value {
            Value::Text(text) => query.bind((*text).to_owned()),
            Value::Number(number) => query.bind(*number),
            Value::MaybeText(text) => query.bind(text.map(ToOwned::to_owned)),
            Value::MaybeNumber(number) => query.bind(*number),
        };
    }
    query.execute(connection).await.map(drop)
}
