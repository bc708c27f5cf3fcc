//! PostgreSQL: SQLSTATEs and what they mean. The table stands in `docs/classification.md`.

use sqlx::{
    Error, PgConnection, Postgres,
    pool::PoolConnection,
    postgres::{PgDatabaseError, PgSeverity},
};

use super::engine::{Engine, Unsettled, Verdict, client_verdict, evict, keep, sealed::Sealed};
use crate::retry::{Answer, Kind};

impl Sealed for Postgres {}

impl Engine for Postgres {
    // The extended protocol takes one statement a text; the server refuses more.
    const MANY_STATEMENTS: bool = false;

    fn begin(answer: Answer) -> &'static str {
        match answer {
            Answer::Read => "BEGIN READ ONLY",
            _ => "BEGIN",
        }
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

    async fn restore(_: &mut PgConnection, _: Answer) -> Result<(), Error> {
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
