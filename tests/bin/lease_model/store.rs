//! The database's side: what each statement does to the row. The claim asks the library's own `decide`.

use super::{
    protocol::{self, Ask, LIE, LostCause, TOLERANCE},
    scenario::Flaw,
    state::{Row, Run, Statement},
};

/// The statements, with what is broken in them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Store {
    pub(crate) flaws: &'static [Flaw],
    /// Between slots, in milliseconds.
    pub(crate) gap: i32,
}

impl Store {
    pub(crate) fn has(&self, flaw: Flaw) -> bool {
        self.flaws.contains(&flaw)
    }

    pub(crate) fn slot_millis(&self, run: Run) -> i32 {
        i32::from(run.slot) * self.gap
    }

    /// Would the claim win at `database`, the database's own time? `reads`: it is the read before the write.
    pub(crate) fn decide(&self, row: Option<Row>, claim: Statement, database: i32, reads: bool) -> Option<LostCause> {
        self.decide_for(row, self.slot_millis(claim.run), claim, database, reads)
    }

    /// The same for any slot, in milliseconds.
    pub(crate) fn decide_for(
        &self,
        row: Option<Row>,
        slot: i32,
        claim: Statement,
        database: i32,
        reads: bool,
    ) -> Option<LostCause> {
        let tolerance = match () {
            () if self.has(Flaw::NoClockGuard) || (self.has(Flaw::GuardOnlyAtTheRead) && !reads) => i64::MAX,
            () if self.has(Flaw::WideTolerance) => 40_000,
            () => TOLERANCE,
        };
        let run = holder(if self.has(Flaw::NoSameRunClause) { u8::MAX } else { claim.run.id });
        let now = claim.now;
        let ask = Ask { slot: Some(slot.into()), now: now.into(), run: &run };
        let real = row.map(real);
        let lost = protocol::decide(real.as_ref(), ask, database.into(), tolerance);
        if lost == Some(LostCause::Early) && self.has(Flaw::NoEarlyClause) {
            // As if the slot were as far ahead as one may be, which is newer than all that are not yet.
            let ask = Ask { slot: Some(ask.now + tolerance), ..ask };
            return protocol::decide(real.as_ref(), ask, database.into(), tolerance);
        }
        let (Some(row), Some(mut real)) = (row, real) else { return lost };
        match lost {
            // What a laxer statement would let through.
            Some(LostCause::Held)
                if self.has(Flaw::FarFutureByTheReader)
                    && row.until.is_some_and(|until| until > now + 2 * claim.lease) =>
            {
                None
            }
            Some(LostCause::Slot)
                if self.has(Flaw::NoLastSlotClause) || (self.has(Flaw::SameSlotAgain) && row.last == slot) =>
            {
                real.last_slot = None;
                protocol::decide(Some(&real), ask, database.into(), tolerance)
            }
            // What a stricter one would not.
            None if self.has(Flaw::NothingIsALie) && i64::from(row.last) > i64::from(now) + LIE => {
                Some(LostCause::Slot)
            }
            None if self.has(Flaw::NothingIsALie) && row.until.is_some_and(|until| until > now + row.lease) => {
                Some(LostCause::Held)
            }
            answer => answer,
        }
    }

    /// The write of a claim: decided again, under the row's lock.
    pub(crate) fn claim(&self, row: &mut Option<Row>, claim: Statement, database: i32) -> Option<LostCause> {
        let lost = self.decide(*row, claim, database, false).filter(|_| !self.has(Flaw::BlindWrite));
        if lost.is_none() {
            let slot = self.slot_millis(claim.run);
            let prev = row
                .and_then(|row| if row.last == slot || row.last % self.gap != 0 { row.prev } else { Some(row.last) });
            let until = Some(claim.now + claim.lease);
            *row = Some(Row { last: slot, until, lease: claim.lease, holder: claim.run.id, prev });
        }
        lost
    }

    pub(crate) fn release(&self, row: &mut Option<Row>, run: Run) {
        if let Some(row) = row.as_mut().filter(|row| self.has(Flaw::UnguardedRelease) || row.holder == run.id) {
            row.until = None;
        }
    }

    /// Whether the slot was given back.
    pub(crate) fn hand_back(&self, row: &mut Option<Row>, run: Run) -> bool {
        let slot = self.slot_millis(run);
        let unguarded = self.has(Flaw::UnguardedHandBack);
        let Some(row) = row.as_mut().filter(|row| unguarded || (row.holder == run.id && row.last == slot)) else {
            return false;
        };
        row.until = None;
        let before = row.last - 1;
        row.last = if self.has(Flaw::HandBackToTheSlotBefore) { row.prev.unwrap_or(before) } else { before };
        if !self.has(Flaw::HandBackKeepsTheHolder) {
            row.holder = 0;
        }
        true
    }

    /// A renewal; a clock that is off, or another holder, prolongs nothing.
    pub(crate) fn renew(&self, row: &mut Option<Row>, claim: Statement, database: i32) -> bool {
        let slot = self.slot_millis(claim.run);
        let mine = |row: &Row| self.has(Flaw::RenewalByAnyone) || (row.holder == claim.run.id && row.last == slot);
        let accepted = i64::from((database - claim.now).abs()) <= TOLERANCE;
        let Some(row) = row.as_mut().filter(|row| accepted && row.until.is_some() && mine(row)) else { return false };
        row.until = Some(claim.now + claim.lease);
        row.lease = claim.lease;
        true
    }

    /// The check of a fenced unit.
    pub(crate) fn fence(&self, row: Option<Row>, run: Run, database: i32) -> bool {
        let Some(row) = row else { return false };
        let (holder, slot) = (row.holder == run.id, row.last == self.slot_millis(run));
        match () {
            () if self.has(Flaw::FenceOnHolderOnly) => holder,
            () if self.has(Flaw::FenceOnSlotOnly) => slot,
            () if self.has(Flaw::FenceOnExpiryOnly) => row.until.is_some_and(|until| until >= database),
            () => holder && slot,
        }
    }
}

fn holder(id: u8) -> String {
    if id == 0 { String::new() } else { id.to_string() }
}

fn real(row: Row) -> protocol::Row {
    protocol::Row {
        last_slot: Some(row.last.into()),
        lease_until: row.until.map(Into::into),
        lease_ms: Some(row.lease.into()),
        holder: Some(holder(row.holder)),
        prev_slot: row.prev.map(Into::into),
        ..protocol::Row::default()
    }
}
