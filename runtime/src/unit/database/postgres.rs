//! PostgreSQL: SQLSTATEs and what they mean. The table stands in `docs/classification.md`.

use std::time::Duration;

use sqlx::{
    Error, PgConnection, Pool, Postgres, SqlSafeStr, SqlStr,
    pool::PoolConnection,
    postgres::{PgDatabaseError, PgSeverity},
};

use super::{
    Fence,
    control::{Dialect, Lexis},
    ended::TransactionId,
    engine::{Engine, Fate, Unsettled, Verdict, client_verdict, evict, keep, sealed::Sealed},
    fence, options, receipt,
};
use crate::{
    retry::{Isolation, Kind, Settings},
    schema::{self, quoted},
    sql::assembled,
};

/// What is asked about a transaction, then the cluster with its timeline, and the server's life: when it was started, and when its statistics began,
/// which they do anew after each crash, also after one that the server's first process survived.
macro_rules! identity {
    ($asked:literal) => {
        concat!(
            "SELECT ",
            $asked,
            ", concat_ws('/', (SELECT system_identifier FROM pg_control_system()), \
             substr(pg_walfile_name(pg_current_wal_insert_lsn()), 1, 8)), \
             concat_ws('/', extract(epoch FROM pg_postmaster_start_time()), \
             (SELECT extract(epoch FROM stats_reset) FROM pg_stat_archiver))"
        )
    };
}

impl Sealed for Postgres {}

impl options::Resolves for Postgres {}

impl Engine for Postgres {
    // The extended protocol takes one statement a text; the server refuses more.
    const DIALECT: Dialect = Dialect { many: false, compound: false, lexis: Lexis::Standard, refuses: |_, _| None };

    fn begin(settings: &Settings) -> SqlStr {
        let begin = match (settings.isolation, settings.reads_only()) {
            (None, false) => "BEGIN",
            // After a first query the body can no longer say `SET TRANSACTION READ WRITE`.
            (None, true) => "BEGIN READ ONLY; SELECT 1",
            (Some(Isolation::RepeatableRead), false) => "BEGIN ISOLATION LEVEL REPEATABLE READ",
            (Some(Isolation::RepeatableRead), true) => "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SELECT 1",
            (Some(Isolation::Serializable), false) => "BEGIN ISOLATION LEVEL SERIALIZABLE",
            (Some(Isolation::Serializable), true) => "BEGIN ISOLATION LEVEL SERIALIZABLE READ ONLY; SELECT 1",
        };
        match settings.attempt_timeout {
            None => begin.into_sql_str(),
            // A dropped future leaves its statement running on the server, with its locks: there it ends as well, a moment
            // later, so that the failure has one kind.
            Some(limit) => {
                // Its own limit is 24.8 days.
                let limit =
                    limit.saturating_add(Duration::from_millis(100)).as_millis().min(i32::MAX.unsigned_abs().into());
                // Never longer than what the connection has: a deadline must not lift a limit. (0 there means none.)
                assembled(format!(
                    "{begin}; SELECT set_config('statement_timeout', least({limit}, nullif(extract(epoch FROM \
                     current_setting('statement_timeout')::interval) * 1000, 0))::bigint::text, true)"
                ))
            }
        }
    }

    async fn transaction_id(connection: &mut PgConnection) -> Result<Option<TransactionId>, Error> {
        let (number, history, life): (Option<String>, String, String) =
            sqlx::query_as(identity!("pg_current_xact_id_if_assigned()::text")).fetch_one(connection).await?;
        Ok(number.map(|number| TransactionId { number, history, life }))
    }

    async fn fate(pool: &Pool<Self>, id: &TransactionId) -> Result<Fate, Error> {
        // A standby refuses the second part, a server that was promoted since has another timeline, and one that the data were moved to
        // is another cluster, where the number is that of somebody else: none of them can say.
        let (status, history, life): (Option<String>, String, String) =
            sqlx::query_as(identity!("pg_xact_status($1::text::xid8)")).bind(&id.number).fetch_one(pool).await?;
        Ok(match status.as_deref() {
            _ if history != id.history => Fate::Unknown,
            // True after a crash, too: what was committed keeps its number, and what has its number now is not it.
            Some("aborted") => Fate::Aborted,
            // A crash forgets the number of a transaction of which nothing had reached the disk, and gives it away again.
            _ if life != id.life => Fate::Unknown,
            Some("committed") => Fate::Committed,
            Some("in progress") => Fate::InProgress,
            _ => Fate::Unknown,
        })
    }

    fn verdict(error: &Error) -> Verdict {
        let Some(database) = database_error(error) else { return client_verdict(error) };
        match database.code() {
            "40001" => keep(Kind::Serialization),
            "40P01" => keep(Kind::Deadlock),
            "55P03" => keep(Kind::LockTimeout),
            "57014" => keep(Kind::StatementTimeout),
            "25P04" => evict(Kind::StatementTimeout),
            // Shut down, not up yet, idle too long, all slots taken.
            "57P01" | "57P02" | "57P03" | "57P05" | "25P03" | "53300" => evict(Kind::ConnectionLost),
            // A parameter that nobody bound. Poolers say 08P01 of a connection, and name no routine.
            "08P01" if database.routine() == Some("exec_bind_message") => keep(Kind::Other),
            code if code == "40003" || code.starts_with("08") => evict(Kind::ConnectionLost),
            // Read-only after a failover.
            "25006" => evict(Kind::Other),
            // "cached plan must not change result type" sticks to the connection.
            "0A000" if database.routine() == Some("RevalidateCachedQuery") => evict(Kind::Other),
            // Refused at the door: no later attempt changes who may come in.
            code if is_fatal(database) && (code.starts_with("28") || code.starts_with("3D")) => evict(Kind::Other),
            _ if is_fatal(database) => evict(Kind::ConnectionLost),
            _ => keep(Kind::Other),
        }
    }

    fn fence(table: &str) -> SqlStr {
        let table = quoted(table, '"');
        assembled(format!("SELECT 1 FROM {table} WHERE name = $1 AND holder = $2 AND last_slot = $3 FOR SHARE"))
    }

    async fn holds(connection: &mut PgConnection, fence: &Fence<Self>) -> Result<bool, Error> {
        fence::holds(connection, fence).await
    }

    async fn claim_receipt(connection: &mut PgConnection, unit: &str, key: &str, now: i64) -> Result<bool, Error> {
        receipt::claim::<Self>(connection, receipt::INSERT_RETURNING, unit, key, now).await
    }

    async fn read_receipt(connection: &mut PgConnection, unit: &str, key: &str) -> Result<String, Error> {
        receipt::read::<Self>(connection, receipt::SELECT, unit, key).await
    }

    async fn write_receipt(connection: &mut PgConnection, unit: &str, key: &str, result: &str) -> Result<(), Error> {
        receipt::write::<Self>(connection, receipt::UPDATE, unit, key, result).await
    }

    async fn prune_receipts(pool: &Pool<Self>, before: i64) -> Result<u64, Error> {
        sqlx::query(receipt::DELETE).bind(before).execute(pool).await.map(|done| done.rows_affected())
    }

    async fn install_receipts(pool: &Pool<Self>) -> Result<(), Error> {
        sqlx::raw_sql(schema::under_lock(schema::receipts::POSTGRES)).execute(pool).await.map(drop)
    }

    fn refuses_commit(error: &Error) -> bool {
        let Some(database) = database_error(error) else { return false };
        // 40003 says itself that the outcome is not known. Classes 22, 23, 25, 40 and P0 are what a statement, a deferred
        // constraint or a deferred trigger raises before the commit record is written.
        !is_fatal(database)
            && match database.code() {
                "40003" => false,
                "55P03" | "57014" => true,
                code => ["22", "23", "25", "40", "P0"].iter().any(|class| code.starts_with(class)),
            }
    }

    fn had_ended(_: &Error) -> bool {
        // PostgreSQL answers such a ROLLBACK with a warning, which is no error.
        false
    }

    async fn restore(_: &mut PgConnection) -> Result<(), Error> {
        Ok(())
    }

    async fn settle(_: &mut PgConnection) -> Result<(), Unsettled> {
        // A cancelled BEGIN or COMMIT may still be on its way to the server: nothing that can be asked now would tell.
        Err(Unsettled)
    }

    fn discard(mut connection: PoolConnection<Self>) {
        connection.close_on_drop();
    }
}

fn database_error(error: &Error) -> Option<&PgDatabaseError> {
    error.as_database_error()?.try_downcast_ref()
}

fn is_fatal(error: &PgDatabaseError) -> bool {
    matches!(error.severity(), PgSeverity::Fatal | PgSeverity::Panic)
}
