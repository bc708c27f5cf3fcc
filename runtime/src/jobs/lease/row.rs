//! The read that every claim begins with.

use sqlx::{ColumnIndex, Database, Decode, Encode, Executor, IntoArguments, Row as _, SqlStr, Type};

use super::protocol::Row;

/// The database's clock, and the job's row if there is one.
pub(super) async fn read_row<DB>(
    connection: &mut DB::Connection,
    read: &SqlStr,
    name: &str,
) -> Result<(i64, Option<Row>), sqlx::Error>
where
    DB: Database,
    for<'c> &'c mut DB::Connection: Executor<'c, Database = DB>,
    DB::Arguments: IntoArguments<DB>,
    for<'c> &'c str: ColumnIndex<DB::Row>,
    for<'v> i64: Type<DB> + Encode<'v, DB> + Decode<'v, DB>,
    for<'v> &'v str: Type<DB> + Encode<'v, DB>,
    for<'v> String: Type<DB> + Encode<'v, DB> + Decode<'v, DB>,
{
    let found = sqlx::query::<DB>(read.clone()).bind(name.to_owned()).fetch_one(connection).await?;
    let database: i64 = found.try_get("now")?;
    let row = match found.try_get::<Option<String>, _>("name")? {
        None => None,
        Some(_) => Some(Row {
            last_slot: found.try_get("last_slot")?,
            lease_until: found.try_get("lease_until")?,
            lease_ms: found.try_get("lease_ms")?,
            holder: found.try_get("holder")?,
            prev_slot: found.try_get("prev_slot")?,
            paused_at: found.try_get("paused_at")?,
            pause_reason: found.try_get("pause_reason")?,
        }),
    };
    Ok((database, row))
}
