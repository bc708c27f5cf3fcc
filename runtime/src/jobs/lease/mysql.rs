//! Leases in the application's MySQL or MariaDB database.
//!
//! The claim is that of `claim_text.rs` in the words of MySQL, which has no `ON CONFLICT … WHERE … RETURNING`: one statement for a job that
//! has no row, one for a job that has, and the row itself says who won. The holder is the id of one run, so it cannot be mistaken.

use sqlx::{Error, MySql, MySqlConnection, SqlStr};

use super::{
    database::{DatabaseLeases, LeaseEngine},
    protocol::{self, Ask, LIE, LONGEST_LEASE, LostCause, MINUTE, NEVER, Row},
    row::read_row,
    sql::{self, Statements, Value},
    store::{Claim, Claimed},
};
use crate::{schema, sql::assembled};

/// What makes the INSERT of a pause an UPDATE.
const ON_CONFLICT: &str = "ON DUPLICATE KEY UPDATE paused_at = VALUES(paused_at), pause_reason = VALUES(pause_reason)";

/// Leases in the table `jobs_leases` of a MySQL or MariaDB database, the one that the connections use.
///
/// ```no_run
/// use steadfast::MySqlLeases;
///
/// # async fn start(pool: sqlx::MySqlPool) -> Result<(), Box<dyn std::error::Error>> {
/// let leases = MySqlLeases::new(&pool);
/// leases.install().await?;                 // or run `steadfast::schema::leases::MYSQL` with your migrations
///
/// let others = MySqlLeases::new(&pool).table("ops.billing_leases")?;
/// println!("{}", others.schema());         // for the migrations, under that name
/// # Ok(())
/// # }
/// ```
pub type MySqlLeases = DatabaseLeases<MySql>;

/// The statements of a claim.
#[derive(Clone)]
pub struct Claims {
    insert: SqlStr,
    slot: SqlStr,
    manual: SqlStr,
}

/// Name, token, end of the lease, lease, run; then now and the tolerance, token, now and the tolerance for the guard. A row that is there
/// stays as it is.
fn insert(clock: &str, table: &str) -> String {
    format!(
        "INSERT IGNORE INTO {table} (name, last_slot, lease_until, lease_ms, holder) \
         SELECT ?, ?, ?, ?, ? FROM (SELECT 1 AS one) AS o WHERE ABS({clock} - ?) <= ? AND ? - ? <= ?"
    )
}

/// Now, now. Can the lease be taken? As in `claim_text.rs`.
fn free() -> String {
    format!(
        "(lease_until IS NULL OR lease_until < ? \
         OR lease_until > ? + {LIE} + IF(lease_ms BETWEEN 0 AND {LONGEST_LEASE}, lease_ms, 0))"
    )
}

/// Slot, slot, end of the lease, lease, run; name; now and the tolerance; slot, now and the tolerance; run and slot; slot, now; now, now.
///
/// Assignments are made from the left to the right, each seeing those before it: the slot before comes first. The clauses are those of
/// the statement in `claim_text.rs`, in the same order.
fn slot(clock: &str, table: &str) -> String {
    let free = free();
    format!(
        "UPDATE {table} SET prev_slot = IF(last_slot = ? OR last_slot % {MINUTE} <> 0, prev_slot, last_slot), \
           last_slot = ?, lease_until = ?, lease_ms = ?, holder = ? \
         WHERE name = ? AND ABS({clock} - ?) <= ? AND ? - ? <= ? \
           AND ((holder = ? AND last_slot = ?) \
           OR (paused_at IS NULL AND (last_slot IS NULL OR last_slot < ? OR last_slot > ? + {LIE}) AND {free}))"
    )
}

/// End of the lease, lease, run; name; now and the tolerance; run; now, now.
fn manual(clock: &str, table: &str) -> String {
    let free = free();
    format!(
        "UPDATE {table} SET last_slot = COALESCE(last_slot, {NEVER}), lease_until = ?, lease_ms = ?, holder = ? \
         WHERE name = ? AND ABS({clock} - ?) <= ? AND (holder = ? OR {free})"
    )
}

impl LeaseEngine for MySql {
    /// When it is read and not when the statement began (`SYSDATE`): a wait for the row counts. sqlx sets a connection's time zone to UTC,
    /// in which no hour comes twice.
    const CLOCK: &'static str = "UNIX_TIMESTAMP(SYSDATE(3)) * 1000";
    const QUOTE: char = '`';
    const SCHEMA: &'static str = schema::leases::MYSQL;

    type Claims = Claims;

    fn mark(_: usize) -> String {
        "?".to_owned()
    }

    fn statements(clock: &str, table: &str) -> (Claims, Statements) {
        let clock = format!("CAST({clock} AS SIGNED)");
        let claims = Claims {
            insert: assembled(insert(&clock, table)),
            slot: assembled(slot(&clock, table)),
            manual: assembled(manual(&clock, table)),
        };
        (claims, Statements::new(&clock, table, ON_CONFLICT, Self::mark))
    }

    async fn claim(
        connection: &mut MySqlConnection,
        leases: &DatabaseLeases<Self>,
        claim: &Claim<'_>,
    ) -> Result<Claimed, Error> {
        use Value::{Number, Text};
        let (read, Claims { insert, slot, manual }) = (&leases.statements.read, &leases.claims);
        let (name, run, now, tolerance) = (Text(claim.name()), Text(claim.run()), claim.now_millis(), leases.tolerance);
        let ask = Ask { slot: claim.slot_millis(), now, run: claim.run() };
        let (lease, until) = (claim.lease_millis(), now.saturating_add(claim.lease_millis()));
        let (database, row) = Self::read(connection, read, claim.name()).await?;
        let skew = now.saturating_sub(database);
        if let Some(lost) = protocol::decide(row.as_ref(), ask, database, tolerance) {
            // No write and no lock.
            return Ok(Claimed::lost(lost, skew));
        }
        let (now, tolerance, lease, until) = (Number(now), Number(tolerance), Number(lease), Number(until));
        let token = ask.slot.map_or(Number(NEVER), Number);
        let (statement, values): (_, &[_]) = match (&row, ask.slot.map(Number)) {
            (None, _) => (insert, &[name, token, until, lease, run, now, tolerance, token, now, tolerance]),
            (Some(_), None) => (manual, &[until, lease, run, name, now, tolerance, run, now, now]),
            (Some(_), Some(at)) => (
                slot,
                &[at, at, until, lease, run, name, now, tolerance, at, now, tolerance, run, at, at, now, now, now],
            ),
        };
        Self::write(connection, statement, values).await?;
        let (database, row) = Self::read(connection, read, claim.name()).await?;
        let token = ask.slot.or(row.as_ref().and_then(|row| row.last_slot));
        if let Some(token) = token.filter(|token| row.as_ref().is_some_and(|row| row.is_of(*token, ask.run))) {
            return Ok(Claimed::won(token, skew));
        }
        // As in `upsert.rs`: if nothing is in the way any more, it was held when this run asked.
        let lost = protocol::decide(row.as_ref(), ask, database, leases.tolerance);
        Ok(Claimed::lost(lost.unwrap_or(LostCause::Held), skew))
    }

    async fn read(
        connection: &mut MySqlConnection,
        statement: &SqlStr,
        name: &str,
    ) -> Result<(i64, Option<Row>), Error> {
        read_row::<Self>(connection, statement, name).await
    }

    async fn write(connection: &mut MySqlConnection, statement: &SqlStr, values: &[Value<'_>]) -> Result<(), Error> {
        sql::write::<Self>(connection, statement, values).await
    }

    async fn create(connection: &mut MySqlConnection, text: String) -> Result<(), Error> {
        sqlx::raw_sql(assembled(text)).execute(connection).await.map(drop)
    }
}
