//! Why a slot never ran. A fault explains it only if the rows lead to it: the run that had the slot, or that had the lease when the
//! slot was due, is one of a replica that was struck then.

use super::{
    MINUTE,
    faults::Struck,
    ledger::{Lease, Ledger},
};

/// Why.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Why {
    /// The run before it was at work.
    AtWork,
    /// A fault, by its index.
    Fault(usize),
    /// The machine itself stood still: the supervisor saw it, or a replica whose claim or work took longer than it does. What is lost
    /// by that is counted, and it may be little.
    Stall,
}

/// A slot that never began.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Missed {
    pub(super) job: &'static str,
    pub(super) slot: i64,
    pub(super) why: Option<Why>,
}

/// What may explain.
#[derive(Clone, Copy)]
pub(super) struct Causes<'a> {
    pub(super) struck: &'a [Struck],
    /// When the supervisor saw the machine stand still: from and until.
    pub(super) stalls: &'a [(i64, i64)],
}

impl Causes<'_> {
    /// Why a slot of a job never began; `None`: nothing explains it.
    pub(super) fn of(&self, ledger: &Ledger, job: &str, slot: i64) -> Option<Why> {
        let claimed = ledger.leases_of(job).find(|lease| lease.slot == slot && !lease.run.is_empty());
        // Claims for the slot came a moment after it was due. What they met was the lease of the last who had one.
        let before = ledger.leases_of(job).rfind(|lease| lease.at <= slot + MINUTE / 2 && lease.slot < slot);
        let holder = before.map(|lease| lease.run.as_str()).and_then(|run| ledger.run(run));
        if claimed.is_none() && holder.is_some_and(|holder| holder.last() >= slot) {
            return Some(Why::AtWork);
        }
        let fault = claimed
            .and_then(|lease| self.fault(ledger, lease, slot))
            .or_else(|| before.and_then(|lease| self.fault(ledger, lease, slot)))
            // Nobody could ask.
            .or_else(|| {
                self.nearest(slot, slot, |fault| fault.fault.takes_the_server() && fault.until + 2 * MINUTE >= slot)
            });
        if let Some(fault) = fault {
            return Some(Why::Fault(fault));
        }
        let held = claimed.or(before);
        let since = held.map_or(slot, |lease| lease.at.min(slot));
        let stood_still = self.stalls.iter().any(|(from, until)| *until >= since && *from <= slot + MINUTE);
        let was_slow = ledger.was_slow(job, slot, held.map(|lease| lease.run.as_str()));
        (stood_still || was_slow).then_some(Why::Stall)
    }

    /// The fault that struck the run of this lease: in its time, or while what it had locked kept others out.
    fn fault(&self, ledger: &Ledger, lease: &Lease, slot: i64) -> Option<usize> {
        let replica = ledger.claimant(&lease.run)?;
        let claimed = ledger.leases.iter().filter(|state| state.run == lease.run);
        // A run that was released was in nobody's way. One that has ended may be: it can be struck before its release.
        if claimed.clone().any(|state| state.until.is_none() && state.at <= slot) {
            return None;
        }
        let begun = claimed.clone().map(|state| state.at).min()?;
        let over = claimed.filter_map(|state| state.until).max()? + MINUTE;
        self.nearest(slot, begun, |fault| {
            fault.strikes(replica)
                && fault.until >= begun - MINUTE
                && fault.from <= over
                && slot <= over.max(fault.until + 2 * MINUTE)
        })
    }

    /// Of those that began before the slot was over, the one that began nearest to a moment.
    fn nearest(&self, slot: i64, moment: i64, fits: impl Fn(&Struck) -> bool) -> Option<usize> {
        let fits = |fault: &Struck| fault.fault.costs_slots() && fault.from <= slot + MINUTE && fits(fault);
        let fitting = self.struck.iter().enumerate().filter(|(_, fault)| fits(fault));
        fitting.min_by_key(|(_, fault)| (fault.from - moment).abs()).map(|(index, _)| index)
    }
}
