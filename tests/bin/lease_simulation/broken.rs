//! A store in memory with one thing broken in it: what the simulation must notice.

use std::{
    collections::HashMap,
    future::ready,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, SystemTime},
};

use steadfast::{
    LeaseStore, Slot,
    clock::Clock as _,
    jobs::{Claim, Claimed, LeaseError, LeaseErrorKind, LeaseRow, LostCause},
    testing::VirtualClock,
};

use crate::{BoxFuture, ledger::millis, seen::slot_of};

const TOLERANCE: i64 = 30_000;
const DAY: i64 = 24 * 3_600_000;

#[derive(Clone)]
struct Row {
    last_slot: i64,
    /// The slot before it that was not handed back.
    before: i64,
    until: Option<i64>,
    lease: i64,
    holder: String,
}

impl Row {
    fn is_of(&self, slot: i64, run: &str) -> bool {
        self.last_slot == slot && self.holder == run
    }

    /// A millisecond before a slot is no slot: that one was handed back.
    fn taken(&self) -> i64 {
        if self.last_slot % 60_000 == 0 { self.last_slot } else { self.before }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Flaw {
    /// The store that the others differ from.
    #[cfg(test)]
    None,
    AnyClockClaims,
    /// A deploy with a shorter timeout takes a longer lease for one of a clock that jumped.
    TheReadersLeaseCounts,
    AnyoneReleases,
    ASlotIsClaimedAgain,
    /// A lost acknowledgement loses the slot.
    ARepeatedClaimIsAnotherOne,
    ReleaseDoesNothing,
    NothingIsFenced,
}

#[derive(Clone)]
pub(crate) struct Broken {
    rows: Arc<Mutex<HashMap<String, Row>>>,
    time: VirtualClock,
    flaw: Flaw,
}

impl Broken {
    pub(crate) fn new(time: VirtualClock, flaw: Flaw) -> Self {
        Self { rows: Arc::default(), time, flaw }
    }

    /// What a fenced unit asks.
    pub(crate) fn fence(&self, job: &str, slot: Slot, run: &str) -> bool {
        self.flaw == Flaw::NothingIsFenced || self.rows().get(job).is_some_and(|row| row.is_of(slot.unix_millis(), run))
    }

    fn rows(&self) -> MutexGuard<'_, HashMap<String, Row>> {
        self.rows.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn now(&self) -> i64 {
        millis(self.time.now())
    }

    fn decide(&self, row: Option<&Row>, claim: &Claim<'_>, now: i64) -> Option<LostCause> {
        let (slot, lease) = (slot_of(claim), claim.lease_millis());
        if (now - self.now()).abs() > TOLERANCE && self.flaw != Flaw::AnyClockClaims {
            return Some(LostCause::Skew);
        }
        let row = row?;
        if row.is_of(slot, claim.run()) && self.flaw != Flaw::ARepeatedClaimIsAnotherOne {
            return None;
        }
        let again = self.flaw == Flaw::ASlotIsClaimedAgain && row.until.is_none() && row.last_slot == slot;
        if row.last_slot >= slot && row.last_slot <= now + DAY && !again {
            return Some(LostCause::Slot);
        }
        let longest = match self.flaw {
            Flaw::TheReadersLeaseCounts => 2 * lease,
            _ => row.lease + DAY,
        };
        let held = row.until.is_some_and(|until| until >= now && until <= now + longest);
        held.then_some(LostCause::Held)
    }
}

impl LeaseStore for Broken {
    fn check(&self) -> BoxFuture<'_, Result<(), LeaseError>> {
        Box::pin(ready(Ok(())))
    }

    fn claim<'a>(&'a self, claim: &'a Claim<'a>) -> BoxFuture<'a, Result<Claimed, LeaseError>> {
        let now = claim.now_millis();
        let mut rows = self.rows();
        let row = rows.get(claim.name());
        let lost = self.decide(row, claim, now);
        if lost.is_none() {
            let slot = slot_of(claim);
            let before = row.map_or(slot - 1, |row| if row.last_slot == slot { row.before } else { row.taken() });
            let (until, lease) = (Some(now + claim.lease_millis()), claim.lease_millis());
            let row = Row { last_slot: slot, before, until, lease, holder: claim.run().to_owned() };
            rows.insert(claim.name().to_owned(), row);
        }
        let skew = now - self.now();
        Box::pin(ready(Ok(lost.map_or(Claimed::won(slot_of(claim), skew), |lost| Claimed::lost(lost, skew)))))
    }

    fn holds<'a>(&'a self, name: &'a str, token: i64, run: &'a str) -> BoxFuture<'a, Result<bool, LeaseError>> {
        let rows = self.rows();
        let row = rows.get(name).filter(|row| row.is_of(token, run));
        Box::pin(ready(Ok(row.is_some_and(|row| row.until.is_some_and(|until| until >= self.now())))))
    }

    fn renew<'a>(&'a self, claim: &'a Claim<'a>, token: i64) -> BoxFuture<'a, Result<bool, LeaseError>> {
        let (now, off) = (claim.now_millis(), (claim.now_millis() - self.now()).abs());
        let mut rows = self.rows();
        let row = rows.get_mut(claim.name()).filter(|row| row.is_of(token, claim.run()) && row.until.is_some());
        let renewed = match row {
            None => Ok(false),
            Some(_) if off > TOLERANCE && self.flaw != Flaw::AnyClockClaims => {
                Err(LeaseError::new(LeaseErrorKind::Skew))
            }
            Some(row) => {
                row.until = Some(now + claim.lease_millis());
                Ok(true)
            }
        };
        Box::pin(ready(renewed))
    }

    fn hand_back<'a>(&'a self, name: &'a str, slot: Slot, run: &'a str) -> BoxFuture<'a, Result<(), LeaseError>> {
        let slot = slot.unix_millis();
        if let Some(row) = self.rows().get_mut(name).filter(|row| row.is_of(slot, run)) {
            *row = Row { last_slot: slot - 1, until: None, holder: String::new(), ..row.clone() };
        }
        Box::pin(ready(Ok(())))
    }

    fn pause<'a>(&'a self, _: &'a str, _reason: &'a str) -> BoxFuture<'a, Result<(), LeaseError>> {
        unreachable!("nobody pauses a job here")
    }

    fn resume<'a>(&'a self, _: &'a str) -> BoxFuture<'a, Result<(), LeaseError>> {
        unreachable!("nobody resumes a job here")
    }

    fn row<'a>(&'a self, name: &'a str) -> BoxFuture<'a, Result<Option<LeaseRow>, LeaseError>> {
        let row = self.rows().get(name).map(|row| {
            let mut seen = LeaseRow::default();
            seen.last_slot = Some(Slot::from_unix_millis(row.taken()));
            seen.holder = Some(row.holder.clone()).filter(|holder| !holder.is_empty());
            seen.held_until =
                row.until.map(|until| SystemTime::UNIX_EPOCH + Duration::from_millis(until.unsigned_abs()));
            seen
        });
        Box::pin(ready(Ok(row)))
    }

    fn release<'a>(&'a self, name: &'a str, run: &'a str) -> BoxFuture<'a, Result<(), LeaseError>> {
        let anyone = self.flaw == Flaw::AnyoneReleases;
        let mut rows = self.rows();
        let row = rows.get_mut(name).filter(|row| anyone || row.holder == run);
        if let Some(row) = row.filter(|_| self.flaw != Flaw::ReleaseDoesNothing) {
            row.until = None;
        }
        Box::pin(ready(Ok(())))
    }
}
