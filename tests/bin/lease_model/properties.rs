//! What must never be, and what must be possible.

use stateright::Property;

use super::{
    model::Leases,
    protocol::{LIE, TOLERANCE},
    state::{Phase, Run, State, Statement},
};

pub(crate) const OVERLAP: &str = "one live run";
pub(crate) const TWICE: &str = "a slot is given out once, and once more after each hand-back";
pub(crate) const STALE: &str = "no write of a superseded or handed-back run commits";
pub(crate) const DISORDER: &str = "committed slots go up, and come again after a hand-back alone";
pub(crate) const BLOCKED: &str = "no job is blocked for ever";
pub(crate) const LOST: &str = "a lost acknowledgement loses no slot";

pub(crate) const COMMITS: &str = "a fenced write commits";
pub(crate) const AGAIN: &str = "a run asks again for what it has";
pub(crate) const OUTLIVES: &str = "a paused run outlives its lease";
pub(crate) const FENCED: &str = "a superseded run meets the fence";

/// A run identifier that no run of the model has.
const FRESH: u8 = 14;

pub(crate) fn all() -> Vec<Property<Leases>> {
    vec![
        Property::always(OVERLAP, |_, state: &State| state.live() <= 1),
        Property::always(TWICE, |_, state: &State| !state.ledger.twice),
        Property::always(STALE, |_, state: &State| !state.ledger.stale),
        Property::always(DISORDER, |_, state: &State| !state.ledger.disorder),
        Property::always(BLOCKED, |leases: &Leases, state: &State| leases.can_go_on(state)),
        Property::always(LOST, |_, state: &State| !state.ledger.lost),
        // Without these, the ones above might hold because nothing happens.
        Property::sometimes(COMMITS, |_, state: &State| state.ledger.top > 0),
        Property::sometimes(AGAIN, |_, state: &State| {
            let has = |run: Run| state.ledger.granted & !state.ledger.void & run.bit() != 0;
            state.replicas.iter().any(|replica| matches!(replica.phase, Phase::Asking(run) if has(run)))
        }),
        Property::sometimes(FENCED, |_, state: &State| {
            state
                .replicas
                .iter()
                .any(|replica| replica.unit.is_some_and(|unit| !unit.fenced && state.ledger.void & unit.run.bit() != 0))
        }),
        Property::sometimes(OUTLIVES, |_, state: &State| {
            let superseded = |run: Run| state.ledger.void & run.bit() != 0;
            state
                .replicas
                .iter()
                .any(|replica| replica.paused && matches!(replica.phase, Phase::Running { run, .. } if superseded(run)))
        }),
    ]
}

impl Leases {
    /// Whether a later slot can be claimed once the lease in the row is over, if nobody claims before. Since somebody who does
    /// claims a later slot as well, this in every state says that the job goes on from every state.
    fn can_go_on(&self, state: &State) -> bool {
        // A row that a database's clock has poisoned may hold up a job for as long as a lie is believed.
        let waits = [0, if self.scenario.poisoned { millis(LIE) } else { 0 }];
        waits.into_iter().any(|wait| {
            let lease = self.longest_lease();
            let at = self.millis(state.t) + wait + lease + millis(TOLERANCE) + 2 * self.store.gap;
            let run = Run { id: FRESH, slot: 0 };
            let slot = at.div_euclid(self.store.gap) * self.store.gap;
            self.store.decide_for(state.row, slot, Statement { run, now: at, lease }, at, true).is_none()
        })
    }
}

fn millis(constant: i64) -> i32 {
    i32::try_from(constant).unwrap_or(i32::MAX)
}
