//! The statements of a lease store that every engine understands. The claim is each engine's own.

use sqlx::{Database, Encode, Executor, IntoArguments, SqlStr, Type};

use super::text::Texts;
use crate::sql::assembled;

/// [`Texts`] as statements of sqlx.
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
    pub(super) read: SqlStr,
    pub(super) renew: SqlStr,
    pub(super) release: SqlStr,
    pub(super) hand_back: SqlStr,
    pub(super) pause: SqlStr,
    pub(super) resume: SqlStr,
}

impl Statements {
    /// `clock` is an SQL expression, `table` is quoted; `on_conflict` and `mark` as for [`Texts::new`].
    pub(super) fn new(clock: &str, table: &str, on_conflict: &str, mark: fn(usize) -> String) -> Self {
        let Texts { read, renew, release, hand_back, pause, resume } = Texts::new(clock, table, on_conflict, mark);
        let [read, renew, release, hand_back, pause, resume] =
            [read, renew, release, hand_back, pause, resume].map(assembled);
        Self { read, renew, release, hand_back, pause, resume }
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
