//! A slot that another replica runs and may give back (`on_shutdown = hand_back`): who lost it looks whether it was.
//!
//! The others were refused when the slot was due, and their runners go on to the next one; a process that starts has missed it. So both
//! look, as long as the slot is at work somewhere and no later one is due.

use std::{
    sync::Arc,
    time::{Duration, SystemTime},
};

use crate::jobs::{
    job::Meta,
    lease::{LeaseRow, LostCause},
    outcome::{NotClaimed, RunOutcome},
    run::{Boundary, Due, discard},
    shutdown::ShutdownWatch,
    slot::Slot,
    state::{Alive, JobState},
    trigger::Trigger,
};

/// How often it is looked: as often as the runner looks at the clock. One read of one row.
const LOOK: Duration = Duration::from_secs(30);

/// What the row says of a slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fate {
    /// Whoever comes first may have it.
    GivenBack,
    /// A run of it holds the lease.
    AtWork,
    /// It was run, or its run is gone with its lease, or a later one was claimed, or nobody ever claimed it.
    Over,
}

/// What the row says of `slot` at `now`.
pub(crate) fn fate(row: Option<&LeaseRow>, slot: Slot, now: SystemTime) -> Fate {
    let Some(row) = row else { return Fate::Over };
    let held = row.held_until.is_some_and(|until| until >= now);
    match (row.handed_back == Some(slot), row.last_slot == Some(slot)) {
        (true, _) if !held => Fate::GivenBack,
        // A run of it, or one by hand of a slot that was given back.
        (true, _) | (_, true) if held => Fate::AtWork,
        _ => Fate::Over,
    }
}

/// Was the slot of such a job lost to a run that may give it back?
pub(crate) fn may_come_back(meta: &Meta, outcome: &RunOutcome) -> bool {
    use NotClaimed::{Lost, StoreFailed};
    let RunOutcome::NotClaimed(cause) = outcome else { return false };
    meta.lease.hand_back && matches!(cause, Lost(LostCause::Slot | LostCause::Held | LostCause::Skew) | StoreFailed)
}

/// Looks until the slot is over, and runs it if it was given back.
pub(crate) async fn stand_by<A: Send + Sync>(
    boundary: Boundary<A>,
    due: Due<'static, A>,
    state: Arc<JobState>,
    mut shutdown: ShutdownWatch,
) {
    let (meta, slot) = (&due.entry.meta, due.slot);
    let Some(store) = boundary.store.clone() else { return };
    while shutdown.is_running() {
        let now = boundary.clock.now();
        if meta.cron.latest(Slot::floor(now)).is_some_and(|latest| latest > slot) {
            return;
        }
        // A store that cannot say may be able to the next time.
        if let Ok(row) = store.row(meta.name).await {
            match fate(row.as_ref(), slot, now) {
                Fate::Over => return,
                Fate::AtWork => {}
                Fate::GivenBack => {
                    let due = Due { trigger: Trigger::TakenOver, ..due };
                    let alive = Alive::begin(&state);
                    let outcome = boundary.run(due, &state, Some(alive), shutdown.clone()).await;
                    let again = may_come_back(meta, &outcome);
                    discard(outcome);
                    if !again {
                        return;
                    }
                }
            }
        }
        let look = boundary.clock.sleep(LOOK);
        futures_util::future::select(look, std::pin::pin!(shutdown.draining())).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_row_of_a_slot() {
        let slot = Slot::utc(2026, 1, 2, 3, 0).expect("a date");
        let (before, now) = (Slot::utc(2026, 1, 2, 2, 0).expect("a date"), slot.time());
        let row = |last_slot, handed_back, held_until| {
            let mut row = LeaseRow::default();
            (row.last_slot, row.handed_back, row.held_until) = (last_slot, handed_back, held_until);
            row
        };
        let minute = Duration::from_mins(1);
        for (row, expected) in [
            (row(Some(slot), None, Some(now)), Fate::AtWork),
            (row(Some(slot), None, Some(now - minute)), Fate::Over),
            (row(Some(slot), None, None), Fate::Over),
            (row(Some(before), Some(slot), None), Fate::GivenBack),
            (row(Some(before), Some(slot), Some(now - minute)), Fate::GivenBack),
            (row(Some(before), Some(slot), Some(now + minute)), Fate::AtWork),
            (row(None, Some(slot), None), Fate::GivenBack),
            (row(Some(before), Some(before), None), Fate::Over),
            (row(Some(before), None, Some(now + minute)), Fate::Over),
        ] {
            assert_eq!(fate(Some(&row), slot, now), expected, "{row:?}");
        }
        assert_eq!(fate(None, slot, now), Fate::Over);
    }
}
