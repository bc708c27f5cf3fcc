//! The claim of PostgreSQL, SQLite and D1 as text: one but for the expression of the database's clock.

use super::protocol::{LIE, LONGEST_LEASE, MINUTE, NEVER};

/// What makes the INSERT of a pause an UPDATE.
pub(super) const ON_CONFLICT: &str =
    "ON CONFLICT (name) DO UPDATE SET paused_at = excluded.paused_at, pause_reason = excluded.pause_reason";

/// Is the lease `l` free, run out, or a lie by its owner's own measure? A `lease_ms` that nobody writes counts as 0, which also keeps the
/// sum within 64 bits: `$1` lies in the years 0 to 9999.
fn free() -> String {
    format!(
        "(l.lease_until IS NULL OR l.lease_until < $1 OR l.lease_until > $1 + {LIE} + \
         CASE WHEN l.lease_ms BETWEEN 0 AND {LONGEST_LEASE} THEN l.lease_ms ELSE 0 END)"
    )
}

/// `$1` now, `$2` tolerance, `$3` name, `$4` lease, `$5` run, `$6` slot. One row back: the run has the slot.
///
/// The clauses: the guard (a clock that is off claims nothing, and nobody a slot that is not yet), asked again once the row is locked,
/// since the wait for it may have outlived the lease; the same run asks again; the job is not paused; the slot is newer, or the last one
/// is a lie; the lease can be taken.
pub(super) fn claim_of_slot(clock: &str, table: &str) -> String {
    let free = free();
    let guard = format!("ABS({clock} - $1) <= $2 AND $6 - $1 <= $2");
    format!(
        "INSERT INTO {table} AS l (name, last_slot, lease_until, lease_ms, holder) \
         SELECT $3, $6, $1 + $4, $4, $5 WHERE {guard} \
         ON CONFLICT (name) DO UPDATE SET \
           prev_slot = CASE WHEN l.last_slot = excluded.last_slot OR l.last_slot % {MINUTE} <> 0 \
             THEN l.prev_slot ELSE l.last_slot END, \
           last_slot = excluded.last_slot, lease_until = excluded.lease_until, \
           lease_ms = excluded.lease_ms, holder = excluded.holder \
         WHERE {guard} \
           AND ((l.holder = excluded.holder AND l.last_slot = excluded.last_slot) \
           OR (l.paused_at IS NULL \
             AND (l.last_slot IS NULL OR l.last_slot < excluded.last_slot OR l.last_slot > $1 + {LIE}) AND {free})) \
         RETURNING last_slot"
    )
}

/// `$1` to `$5` as above. One row back: the run has the lease, under the token in it.
pub(super) fn claim_by_hand(clock: &str, table: &str) -> String {
    let free = free();
    let guard = format!("ABS({clock} - $1) <= $2");
    format!(
        "INSERT INTO {table} AS l (name, last_slot, lease_until, lease_ms, holder) \
         SELECT $3, {NEVER}, $1 + $4, $4, $5 WHERE {guard} \
         ON CONFLICT (name) DO UPDATE SET \
           last_slot = COALESCE(l.last_slot, {NEVER}), lease_until = excluded.lease_until, \
           lease_ms = excluded.lease_ms, holder = excluded.holder \
         WHERE {guard} AND (l.holder = excluded.holder OR {free}) \
         RETURNING last_slot"
    )
}
