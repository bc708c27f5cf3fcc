//! MySQL and MariaDB: error numbers and what they mean. The table stands in `docs/classification.md`.

mod statement;

use sqlx::{
    Error, MySql, MySqlConnection, Pool, SqlSafeStr, SqlStr, error::DatabaseError, mysql::MySqlDatabaseError,
    pool::PoolConnection,
};

use super::{
    Fence,
    control::{Dialect, Lexis},
    engine::{Engine, Unsettled, Verdict, client_verdict, evict, keep, sealed::Sealed},
    fence, receipt,
};
use crate::{
    retry::{Isolation, Kind, Settings},
    schema::quoted,
    sql::assembled,
};

/// What the columns of `unit_receipts` hold.
const LONGEST_UNIT: usize = 512;
const LONGEST_KEY: usize = 1024;

impl Sealed for MySql {}

impl Engine for MySql {
    // Where the statement was being prepared, sqlx takes the next packets for the answer to what it sends next, and may wait for ever.
    const RESUMES: bool = false;
    const DIALECT: Dialect = Dialect { many: false, compound: true, lexis: Lexis::MySql, refuses: statement::refused };

    fn begin(settings: &Settings) -> SqlStr {
        // START TRANSACTION takes no level. In one text, so that nothing can come between the two; a level set this way
        // holds for the next transaction alone. Of `attempt_timeout` the server is not told: each of its limits stays on
        // the connection.
        let begin = match (settings.isolation, settings.reads_only()) {
            (None, false) => "START TRANSACTION",
            (None, true) => "START TRANSACTION READ ONLY",
            (Some(Isolation::RepeatableRead), false) => {
                "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ; START TRANSACTION"
            }
            (Some(Isolation::RepeatableRead), true) => {
                "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ; START TRANSACTION READ ONLY"
            }
            (Some(Isolation::Serializable), false) => "SET TRANSACTION ISOLATION LEVEL SERIALIZABLE; START TRANSACTION",
            (Some(Isolation::Serializable), true) => {
                "SET TRANSACTION ISOLATION LEVEL SERIALIZABLE; START TRANSACTION READ ONLY"
            }
        };
        begin.into_sql_str()
    }

    fn verdict(error: &Error) -> Verdict {
        let Some(number) = number(error) else { return client_verdict(error) };
        match number {
            // By InnoDB, by XA, by user locks. The first has rolled back already; SQLSTATE 40001 is a deadlock here.
            1213 | 1614 | 3058 => keep(Kind::Deadlock),
            // MariaDB's `innodb_snapshot_isolation`, and the certification of Group Replication.
            1020 | 3101 => keep(Kind::Serialization),
            // Rolls back the statement or, with `innodb_rollback_on_timeout`, the transaction: the unit ends either way.
            1205 | 3572 => keep(Kind::LockTimeout),
            // MariaDB's limit and MySQL's.
            1969 | 3024 => keep(Kind::StatementTimeout),
            // Shut down, killed, idle too long, all slots taken, no quorum.
            1053 | 1927 | 3169 | 4031 | 1040 | 1203 | 1047 => evict(Kind::ConnectionLost),
            // Read-only after a failover; an error during COMMIT.
            1290 | 1836 | 1180 => evict(Kind::Other),
            _ => keep(Kind::Other),
        }
    }

    /// The server's answer to a duplicate is the one way to tell: with `ON DUPLICATE KEY` the count of rows depends on what the
    /// client asked for, and `INSERT IGNORE` cuts a long key. The statement alone is undone.
    fn fence(table: &str) -> SqlStr {
        let table = quoted(table, '`');
        assembled(format!("SELECT 1 FROM {table} WHERE name = ? AND holder = ? AND last_slot = ? LOCK IN SHARE MODE"))
    }

    async fn holds(connection: &mut MySqlConnection, fence: &Fence<Self>) -> Result<bool, Error> {
        fence::holds(connection, fence).await
    }

    async fn claim_receipt(connection: &mut MySqlConnection, unit: &str, key: &str, now: i64) -> Result<bool, Error> {
        if unit.len() > LONGEST_UNIT || key.len() > LONGEST_KEY {
            // Without strict mode it would be cut, and could then be another one's.
            let why = format!(
                "the key of a receipt has more than {LONGEST_KEY} bytes; take a shorter one, for example a hash"
            );
            return Err(Error::InvalidArgument(why));
        }
        let sql = "INSERT INTO unit_receipts (unit, `key`, result, created_at) VALUES (?, ?, '', ?)";
        match sqlx::query(sql).bind(unit).bind(key).bind(now).execute(connection).await {
            Ok(_) => Ok(true),
            Err(error) if number(&error) == Some(1062) => Ok(false),
            Err(error) => Err(error),
        }
    }

    async fn read_receipt(connection: &mut MySqlConnection, unit: &str, key: &str) -> Result<String, Error> {
        let sql = "SELECT result FROM unit_receipts WHERE unit = ? AND `key` = ?";
        receipt::read::<Self>(connection, sql, unit, key).await
    }

    async fn write_receipt(connection: &mut MySqlConnection, unit: &str, key: &str, result: &str) -> Result<(), Error> {
        let sql = "UPDATE unit_receipts SET result = ? WHERE unit = ? AND `key` = ?";
        receipt::write::<Self>(connection, sql, unit, key, result).await
    }

    async fn prune_receipts(pool: &Pool<Self>, before: i64) -> Result<u64, Error> {
        let sql = "DELETE FROM unit_receipts WHERE created_at < ?";
        sqlx::query(sql).bind(before).execute(pool).await.map(|done| done.rows_affected())
    }

    async fn install_receipts(pool: &Pool<Self>) -> Result<(), Error> {
        sqlx::raw_sql(crate::schema::receipts::MYSQL).execute(pool).await.map(drop)
    }

    fn refuses_commit(error: &Error) -> bool {
        // What rolls back as a whole, and a COMMIT that did not get its lock beside a backup. Not 1317: a COMMIT that was
        // killed may have been done.
        matches!(number(error), Some(1213 | 1614 | 1020 | 3101 | 1205))
    }

    fn had_ended(_: &Error) -> bool {
        // Such a ROLLBACK is acknowledged like any other.
        false
    }

    async fn restore(_: &mut MySqlConnection) -> Result<(), Error> {
        Ok(())
    }

    async fn settle(_: &mut MySqlConnection) -> Result<(), Unsettled> {
        // A cancelled BEGIN or COMMIT may still be on its way to the server: nothing that can be asked now would tell.
        Err(Unsettled)
    }

    fn discard(mut connection: PoolConnection<Self>) {
        connection.close_on_drop();
    }
}

/// The number that the server gave: its SQLSTATE is `HY000` for most of what matters here.
pub(super) fn number(error: &Error) -> Option<u16> {
    number_of(error.as_database_error()?)
}

pub(super) fn number_of(error: &dyn DatabaseError) -> Option<u16> {
    error.try_downcast_ref().map(MySqlDatabaseError::number)
}
