//! The claim as a decision over one row: what the stores' statement decides, in plain Rust.
//!
//! It serves the read that comes before the write (who sees the slot taken, held or its own clock off has lost without a
//! write), says why a write lost, and is what a store without SQL decides by.

/// A last slot that lies further ahead than this is a lie of a clock that jumped, in milliseconds: 1 day. Ten minutes
/// would let a replica that lags a quarter of an hour run an old slot again; a day refuses it and still frees a job
/// from a jump of ten days (`docs/rules.md#a-lease-is-judged-by-its-own-length`).
pub(crate) const LIE: i64 = 24 * 60 * 60 * 1000;

/// The longest lease that is believed, in milliseconds: 365 days. A row that claims more was edited by hand.
pub(crate) const LONGEST_LEASE: i64 = 365 * LIE;

/// How far the claimer's clock and the store's may differ, in milliseconds: 30 s, half the lease's extra minute, since
/// two accepted clocks can differ by twice that (`docs/rules.md#the-databases-clock-is-the-judge`).
pub(crate) const TOLERANCE: i64 = 30_000;

/// Slots are whole minutes, in milliseconds.
pub(crate) const MINUTE: i64 = 60_000;

/// The last slot of a row that was made before a slot was claimed: no slot, and before all of them that a clock can show.
pub(crate) const NEVER: i64 = -1;

/// Why a claim lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum LostCause {
    /// The slot, or a later one, was claimed already: the normal case with several replicas.
    Slot,
    /// A run of an earlier slot holds the lease.
    Held,
    /// The claimer's clock and the store's differ by more than is tolerated.
    Skew,
    /// The slot is further ahead of the claimer's clock than is tolerated: the clock was set back since the slot fired, or a trigger
    /// named a time that is not yet. It would keep the honest slots before it from running.
    Early,
    /// The job is paused.
    Paused,
}

/// A job's row. Columns are optional because somebody may have edited them by hand.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Row {
    pub(crate) last_slot: Option<i64>,
    pub(crate) lease_until: Option<i64>,
    pub(crate) lease_ms: Option<i64>,
    pub(crate) holder: Option<String>,
    pub(crate) prev_slot: Option<i64>,
    pub(crate) paused_at: Option<i64>,
    pub(crate) pause_reason: Option<String>,
}

impl Row {
    /// Does this run hold the row under this token?
    pub(crate) fn is_of(&self, token: i64, run: &str) -> bool {
        self.holder.as_deref() == Some(run) && self.last_slot == Some(token)
    }

    /// May the lease be taken at `now`? Judged by the owner's lease, not by the reader's: a deploy that shortens the timeout must not
    /// steal.
    fn is_free(&self, now: i64) -> bool {
        let lease = self.lease_ms.filter(|lease| (0..=LONGEST_LEASE).contains(lease)).unwrap_or(0);
        self.lease_until.is_none_or(|until| until < now || until > now.saturating_add(lease).saturating_add(LIE))
    }

    /// The slot that was claimed last and not handed back. A hand-back leaves the last slot one millisecond before the slot that it
    /// gives back, which no slot is: that one can be claimed again, and none before it.
    pub(crate) fn last_taken(&self) -> Option<i64> {
        self.last_slot.filter(|last| last % MINUTE == 0).or(self.prev_slot)
    }

    /// The slot that was handed back, and not claimed since.
    pub(crate) fn handed_back(&self) -> Option<i64> {
        self.last_slot
            .filter(|last| *last != NEVER)
            .and_then(|last| last.checked_add(1))
            .filter(|slot| slot % MINUTE == 0)
    }

    /// What the row's previous slot is once `slot` is claimed: a claim that is repeated leaves it as it was.
    pub(crate) fn before(&self, slot: i64) -> Option<i64> {
        if self.last_slot == Some(slot) { self.prev_slot } else { self.last_taken() }
    }
}

/// A claim in milliseconds.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ask<'a> {
    /// `None`: a manual run, which takes the lease and no slot.
    pub(crate) slot: Option<i64>,
    pub(crate) now: i64,
    pub(crate) run: &'a str,
}

/// May the claim have the row? `database` is the store's own clock; `row` is `None` before the job's first claim.
///
/// The clauses are those of the statement in `sql.rs`, in the same order.
pub(crate) fn decide(row: Option<&Row>, ask: Ask<'_>, database: i64, tolerance: i64) -> Option<LostCause> {
    if database.saturating_sub(ask.now).saturating_abs() > tolerance {
        return Some(LostCause::Skew);
    }
    if ask.slot.is_some_and(|slot| slot.saturating_sub(ask.now) > tolerance) {
        return Some(LostCause::Early);
    }
    let row = row?;
    // A lost acknowledgement: the same run asks again.
    let last = if ask.slot.is_some() { ask.slot } else { row.last_slot };
    if row.holder.as_deref() == Some(ask.run) && row.last_slot == last {
        return None;
    }
    if let Some(slot) = ask.slot {
        if row.paused_at.is_some() {
            return Some(LostCause::Paused);
        }
        let newer = row.last_slot.is_none_or(|last| last < slot || last > ask.now.saturating_add(LIE));
        if !newer {
            return Some(LostCause::Slot);
        }
    }
    if row.is_free(ask.now) { None } else { Some(LostCause::Held) }
}

/// Does the run hold its lease under this token? `database` is the store's own clock.
pub(crate) fn holds(row: Option<&Row>, token: i64, run: &str, database: i64) -> bool {
    row.is_some_and(|row| row.is_of(token, run) && row.lease_until.is_some_and(|until| until >= database))
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: i64 = 1_767_322_800_000;

    fn row(last_slot: i64, lease_until: Option<i64>) -> Row {
        let (lease_ms, holder) = (Some(6 * MINUTE), Some("other".into()));
        Row { last_slot: Some(last_slot), lease_until, lease_ms, holder, ..Row::default() }
    }

    fn lost(row: &Row) -> Option<LostCause> {
        decide(Some(row), Ask { slot: Some(NOW), now: NOW, run: "mine" }, NOW, TOLERANCE)
    }

    #[test]
    fn the_table_of_the_claim() {
        use LostCause::{Held, Skew, Slot};
        let ask = Ask { slot: Some(NOW), now: NOW, run: "mine" };
        assert_eq!(decide(None, ask, NOW, TOLERANCE), None, "the first claim of a job");
        for (row, expected, why) in [
            (row(NOW - MINUTE, None), None, "released"),
            (row(NOW, None), Some(Slot), "the same slot, after the release"),
            (row(NOW, Some(NOW + MINUTE)), Some(Slot), "the same slot, during the run"),
            (row(NOW + MINUTE, None), Some(Slot), "an old slot, delivered late"),
            (row(NOW - MINUTE, Some(NOW + 1)), Some(Held), "held"),
            (row(NOW - MINUTE, Some(NOW)), Some(Held), "held up to the last millisecond"),
            (row(NOW - MINUTE, Some(NOW - 1)), None, "run out"),
            (row(NOW + LIE, None), Some(Slot), "a day ahead is believed"),
            (row(NOW + LIE + 1, None), None, "more is a lie"),
            (row(NOW - MINUTE, Some(NOW + 6 * MINUTE + LIE)), Some(Held), "the owner's lease plus a day is believed"),
            (row(NOW - MINUTE, Some(NOW + 6 * MINUTE + LIE + 1)), None, "more is a lie"),
        ] {
            assert_eq!(lost(&row), expected, "{why}");
        }
        let mine = Row { holder: Some("mine".into()), ..row(NOW, Some(NOW + MINUTE)) };
        assert_eq!(lost(&mine), None, "the same run asks again");
        assert_eq!(lost(&Row { paused_at: Some(0), ..mine }), None, "and was paused meanwhile");
        let paused = Row { paused_at: Some(NOW), ..row(NOW - MINUTE, None) };
        assert_eq!(lost(&paused), Some(LostCause::Paused));
        let mine = Row { holder: Some("mine".into()), ..row(NOW - MINUTE, Some(NOW + MINUTE)) };
        assert_eq!(lost(&mine), Some(Held), "the same run, another slot");
        for (database, expected) in [
            (NOW - TOLERANCE, None),
            (NOW + TOLERANCE, None),
            (NOW - TOLERANCE - 1, Some(Skew)),
            (NOW + TOLERANCE + 1, Some(Skew)),
            (i64::MIN, Some(Skew)),
            (i64::MAX, Some(Skew)),
        ] {
            assert_eq!(decide(None, ask, database, TOLERANCE), expected);
            assert_eq!(decide(Some(&mine), ask, database, TOLERANCE), expected.or(Some(Held)));
        }
    }

    #[test]
    fn a_slot_ahead_of_the_clock_is_nobodys() {
        for (ahead, expected) in [(0, None), (TOLERANCE, None), (TOLERANCE + 1, Some(LostCause::Early))] {
            for row in [None, Some(&row(NOW - MINUTE, None))] {
                let ask = Ask { slot: Some(NOW + ahead), now: NOW, run: "mine" };
                assert_eq!(decide(row, ask, NOW, TOLERANCE), expected, "{ahead} ms");
            }
        }
    }

    #[test]
    fn a_manual_run_asks_for_the_lease_alone() {
        let ask = |row: &Row| decide(Some(row), Ask { slot: None, now: NOW, run: "mine" }, NOW, TOLERANCE);
        assert_eq!(ask(&row(NOW + MINUTE, None)), None, "whatever slot was last");
        assert_eq!(ask(&Row { paused_at: Some(NOW), ..row(NOW, None) }), None, "who asks by hand knows of the pause");
        assert_eq!(ask(&row(NOW - MINUTE, Some(NOW))), Some(LostCause::Held));
        let mine = Row { holder: Some("mine".into()), ..row(NOW - MINUTE, Some(NOW)) };
        assert_eq!(ask(&mine), None, "the same run asks again");
        let off = Ask { slot: None, now: NOW, run: "mine" };
        assert_eq!(decide(None, off, NOW + TOLERANCE + 1, TOLERANCE), Some(LostCause::Skew));
    }

    #[test]
    fn rows_edited_by_hand_are_tolerated() {
        let values = [None, Some(i64::MIN), Some(-1), Some(0), Some(NOW), Some(i64::MAX)];
        for last_slot in values {
            for lease_until in values {
                for lease_ms in values {
                    let row = Row { last_slot, lease_until, lease_ms, ..Row::default() };
                    let _answered = lost(&row);
                }
            }
        }
        assert_eq!(lost(&Row::default()), None, "an empty row is a job that never ran");
    }
}
