//! The statements of the lease stores as text: what they ask is the same, whoever sends it. The claim is in `claim_text.rs`.

use super::protocol::NEVER;

/// The name of the table if nothing is said.
pub(super) const TABLE: &str = "jobs_leases";

/// SQLite's clock in milliseconds, and D1's.
#[cfg(any(feature = "sqlite", feature = "worker"))]
pub(super) const SQLITE_CLOCK: &str = "(julianday('now') - 2440587.5) * 86400000";

/// How many of the table's columns there are; SQLite and D1 answer this also where there is no table, and have no code that says so. `of` are
/// the marks of its name and, if it is named, its schema.
#[cfg(any(feature = "sqlite", feature = "worker"))]
pub(super) fn sqlite_columns(of: &str) -> String {
    format!(
        "SELECT COUNT(*) FROM pragma_table_info({of}) WHERE name IN ('name', 'last_slot', 'lease_until', 'lease_ms', 'holder', \
         'prev_slot', 'paused_at', 'pause_reason')"
    )
}

/// All of them.
#[cfg(any(feature = "sqlite", feature = "worker"))]
pub(super) const SQLITE_COLUMNS: i64 = 8;

/// Always one row: the database's clock, and the job's row if there is one. It reads every column that the claim writes, so that
/// it also proves the table.
fn read(clock: &str, table: &str, name: &str) -> String {
    format!(
        "SELECT {clock} AS now, l.name, l.last_slot, l.lease_until, l.lease_ms, l.holder, l.prev_slot, l.paused_at, l.pause_reason \
         FROM (SELECT 1 AS one) AS o LEFT JOIN {table} AS l ON l.name = {name}"
    )
}

/// The statements that every engine understands. The claim is each engine's own.
pub(super) struct Texts {
    /// Name.
    pub(super) read: String,
    /// End of the lease, lease; name, token, run; now and the tolerance.
    pub(super) renew: String,
    /// Name, run. Guarded by the holder: a superseded run releases nothing.
    pub(super) release: String,
    /// Name, slot, run. Guarded by the holder and the slot, which both change: what the run still writes under a fence commits no more. The
    /// slot can be claimed again and none before it, since something of it may have been committed: see `Row::last_taken`.
    pub(super) hand_back: String,
    /// Name, reason.
    pub(super) pause: String,
    /// Name.
    pub(super) resume: String,
}

impl Texts {
    /// `clock` is an SQL expression, `table` is quoted. `on_conflict` makes an INSERT an UPDATE of the two columns that it names, `mark`
    /// writes the mark of the value that has this number, from 1 on.
    pub(super) fn new(clock: &str, table: &str, on_conflict: &str, mark: fn(usize) -> String) -> Self {
        let [m1, m2, m3, m4, m5, m6, m7] = std::array::from_fn(|index| mark(index + 1));
        Self {
            read: read(clock, table, &m1),
            renew: format!(
                "UPDATE {table} SET lease_until = {m1}, lease_ms = {m2} \
                 WHERE name = {m3} AND last_slot = {m4} AND holder = {m5} AND lease_until IS NOT NULL AND ABS({clock} - {m6}) <= {m7}"
            ),
            release: format!("UPDATE {table} SET lease_until = NULL WHERE name = {m1} AND holder = {m2}"),
            hand_back: format!(
                "UPDATE {table} SET lease_until = NULL, last_slot = last_slot - 1, holder = '' \
                 WHERE name = {m1} AND last_slot = {m2} AND holder = {m3}"
            ),
            pause: format!(
                "INSERT INTO {table} (name, last_slot, lease_ms, holder, paused_at, pause_reason) \
                 VALUES ({m1}, {NEVER}, 0, '', {clock}, {m2}) {on_conflict}"
            ),
            resume: format!("UPDATE {table} SET paused_at = NULL, pause_reason = NULL WHERE name = {m1}"),
        }
    }
}
