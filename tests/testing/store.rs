//! `assert_lease_store` on a store written from the documentation alone, whole and with one rule broken at a time.

use std::{
    collections::HashMap,
    future::ready,
    panic::AssertUnwindSafe,
    sync::{Mutex, MutexGuard},
    time::SystemTime,
};

use futures_core::future::BoxFuture;
use futures_util::FutureExt as _;
use steadfast::{
    LeaseStore, Slot,
    clock::{Clock as _, SystemClock},
    jobs::{Claim, Claimed, LeaseError, LeaseErrorKind, LostCause},
    testing::assert_lease_store,
};

const DAY: i64 = 24 * 3_600_000;
const TOLERANCE: i64 = 30_000;

/// The rule that a store breaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Broken {
    Nothing,
    ASlotIsClaimedAgain,
    ARepeatedClaimIsAnotherOne,
    ARepeatedClaimForgetsTheSlotBefore,
    ARunHasEverySlot,
    TheLastSlotIsUnknown,
    AJobIsEveryJob,
    TheLeaseIsIgnored,
    TheLeaseNeverRunsOut,
    TheReadersLeaseCounts,
    AnyClockIsRight,
    ARefusedClaimIsWritten,
    EverySlotIsBelieved,
    AnyoneHolds,
    AnySlotIsHeld,
    ReleaseFreesTheSlot,
    ReleaseDoesNothing,
    AnyoneReleases,
    AnyoneRenews,
    AnySlotIsRenewed,
    AnyClockRenews,
    RenewingDoesNothing,
    AnyoneHandsBack,
    AnySlotIsHandedBack,
    HandingBackDoesNothing,
    HandingBackFreesWhatIsBefore,
    HandingBackTakesTheSlotBefore,
    AClaimAfterAHandBackForgetsTheSlotBefore,
    ReadThenWrite,
}

#[derive(Clone)]
struct Row {
    last_slot: i64,
    slot_before: i64,
    lease_from: i64,
    lease_until: Option<i64>,
    holder: String,
}

impl Row {
    /// Handed back: a millisecond before a slot is no slot.
    fn is_back(&self) -> bool {
        self.last_slot % 60_000 != 0
    }
}

/// One process, judged by the machine's clock.
struct Store {
    rows: Mutex<HashMap<String, Row>>,
    broken: Broken,
}

impl Store {
    fn breaks(&self, rule: Broken) -> bool {
        self.broken == rule
    }

    fn rows(&self) -> MutexGuard<'_, HashMap<String, Row>> {
        self.rows.lock().unwrap()
    }

    fn key(&self, name: &str) -> String {
        if self.breaks(Broken::AJobIsEveryJob) { String::new() } else { name.to_owned() }
    }

    fn now() -> i64 {
        i64::try_from(SystemClock.now().duration_since(SystemTime::UNIX_EPOCH).unwrap().as_millis()).unwrap()
    }

    fn decide(&self, row: Option<&Row>, claim: &Claim<'_>, off: bool) -> Option<LostCause> {
        if off && !self.breaks(Broken::AnyClockIsRight) {
            return Some(LostCause::Skew);
        }
        let (row, slot, now) = (row?, claim.slot_millis(), claim.now_millis());
        let own = row.holder == claim.run();
        if own && (row.last_slot == slot || self.breaks(Broken::ARunHasEverySlot)) {
            return if self.breaks(Broken::ARepeatedClaimIsAnotherOne) { Some(LostCause::Slot) } else { None };
        }
        let believed = row.last_slot <= now + DAY || self.breaks(Broken::EverySlotIsBelieved);
        if row.last_slot >= slot && believed && !self.breaks(Broken::ASlotIsClaimedAgain) {
            return Some(LostCause::Slot);
        }
        let until = match row.lease_until {
            Some(until) if self.breaks(Broken::TheReadersLeaseCounts) => {
                Some(until.min(row.lease_from + claim.lease_millis()))
            }
            Some(_) if self.breaks(Broken::TheLeaseNeverRunsOut) => Some(i64::MAX),
            until => until,
        };
        let free = until.is_none_or(|until| until < now) || self.breaks(Broken::TheLeaseIsIgnored);
        if free { None } else { Some(LostCause::Held) }
    }

    fn is_of(&self, row: &Row, slot: Slot, run: &str, any_run: Broken, any_slot: Broken) -> bool {
        (row.holder == run || self.breaks(any_run)) && (row.last_slot == slot.unix_millis() || self.breaks(any_slot))
    }
}

impl LeaseStore for Store {
    fn check(&self) -> BoxFuture<'_, Result<(), LeaseError>> {
        Box::pin(ready(Ok(())))
    }

    fn claim<'a>(&'a self, claim: &'a Claim<'a>) -> BoxFuture<'a, Result<Claimed, LeaseError>> {
        Box::pin(async move {
            let (key, skew) = (self.key(claim.name()), claim.now_millis() - Self::now());
            let off = skew.abs() > TOLERANCE;
            let mut lost = self.decide(self.rows().get(&key), claim, off);
            if self.breaks(Broken::ReadThenWrite) {
                tokio::task::yield_now().await;
            } else {
                lost = self.decide(self.rows().get(&key), claim, off);
            }
            if lost.is_none() || off && self.breaks(Broken::ARefusedClaimIsWritten) {
                let mut rows = self.rows();
                let again = !self.breaks(Broken::ARepeatedClaimForgetsTheSlotBefore);
                let back = !self.breaks(Broken::AClaimAfterAHandBackForgetsTheSlotBefore);
                let slot_before = rows.get(&key).map_or(0, |row| {
                    let keeps = again && row.last_slot == claim.slot_millis() || back && row.is_back();
                    if keeps { row.slot_before } else { row.last_slot }
                });
                let (now, holder) = (claim.now_millis(), claim.run().to_owned());
                let lease_until = Some(now + claim.lease_millis());
                let row = Row { last_slot: claim.slot_millis(), slot_before, lease_from: now, lease_until, holder };
                rows.insert(key, row);
            }
            Ok(Claimed::new(lost, skew))
        })
    }

    fn holds<'a>(&'a self, name: &'a str, slot: Slot, run: &'a str) -> BoxFuture<'a, Result<bool, LeaseError>> {
        let rows = self.rows();
        let row = rows
            .get(&self.key(name))
            .filter(|row| self.is_of(row, slot, run, Broken::AnyoneHolds, Broken::AnySlotIsHeld));
        Box::pin(ready(Ok(row.is_some_and(|row| row.lease_until.is_some_and(|until| until >= Self::now())))))
    }

    fn renew<'a>(&'a self, claim: &'a Claim<'a>) -> BoxFuture<'a, Result<bool, LeaseError>> {
        let slot = Slot::from_unix_millis(claim.slot_millis());
        let off = claim.now_millis().abs_diff(Self::now()) > TOLERANCE.unsigned_abs();
        let mut rows = self.rows();
        let row = rows
            .get_mut(&self.key(claim.name()))
            .filter(|row| self.is_of(row, slot, claim.run(), Broken::AnyoneRenews, Broken::AnySlotIsRenewed));
        let renewed = match row {
            None => Ok(false),
            Some(_) if off && !self.breaks(Broken::AnyClockRenews) => Err(LeaseError::new(LeaseErrorKind::Skew)),
            Some(row) => {
                if !self.breaks(Broken::RenewingDoesNothing) {
                    row.lease_until = Some(claim.now_millis() + claim.lease_millis());
                }
                Ok(true)
            }
        };
        Box::pin(ready(renewed))
    }

    fn hand_back<'a>(&'a self, name: &'a str, slot: Slot, run: &'a str) -> BoxFuture<'a, Result<(), LeaseError>> {
        if let Some(row) = self.rows().get_mut(&self.key(name)).filter(|row| {
            !self.breaks(Broken::HandingBackDoesNothing)
                && self.is_of(row, slot, run, Broken::AnyoneHandsBack, Broken::AnySlotIsHandedBack)
        }) {
            let last_slot = match self.broken {
                Broken::HandingBackFreesWhatIsBefore => row.slot_before,
                Broken::HandingBackTakesTheSlotBefore => row.slot_before - 1,
                _ => row.last_slot - 1,
            };
            *row = Row { last_slot, lease_until: None, holder: String::new(), ..row.clone() };
        }
        Box::pin(ready(Ok(())))
    }

    fn last_slot<'a>(&'a self, name: &'a str) -> BoxFuture<'a, Result<Option<Slot>, LeaseError>> {
        let rows = self.rows();
        let row = rows.get(&self.key(name)).filter(|_| !self.breaks(Broken::TheLastSlotIsUnknown));
        let last = row.map(|row| if row.is_back() { row.slot_before } else { row.last_slot });
        Box::pin(ready(Ok(last.map(Slot::from_unix_millis))))
    }

    fn release<'a>(&'a self, name: &'a str, run: &'a str) -> BoxFuture<'a, Result<(), LeaseError>> {
        let mut rows = self.rows();
        let row = rows.get_mut(&self.key(name));
        let row = row.filter(|row| row.holder == run || self.breaks(Broken::AnyoneReleases));
        if let Some(row) = row.filter(|_| !self.breaks(Broken::ReleaseDoesNothing)) {
            row.lease_until = None;
            if self.breaks(Broken::ReleaseFreesTheSlot) {
                row.last_slot = row.slot_before;
            }
        }
        Box::pin(ready(Ok(())))
    }
}

/// The rule that is said to be broken.
async fn said(broken: Broken) -> Option<String> {
    let store = Store { rows: Mutex::default(), broken };
    let failed = AssertUnwindSafe(assert_lease_store(&store, SystemClock)).catch_unwind().await.err()?;
    Some(*failed.downcast::<String>().unwrap())
}

#[tokio::test]
async fn a_store_of_ones_own_passes() {
    assert_eq!(said(Broken::Nothing).await, None);
}

#[tokio::test]
async fn every_rule_that_a_store_breaks_is_found() {
    for (broken, expected) in [
        (Broken::ASlotIsClaimedAgain, "the same slot, of another run"),
        (Broken::ARepeatedClaimIsAnotherOne, "the same claim again"),
        (Broken::ARepeatedClaimForgetsTheSlotBefore, "the last slot after the hand-back"),
        (Broken::ARunHasEverySlot, "the next slot, of the run that holds the lease"),
        (Broken::TheLastSlotIsUnknown, "the last slot after it"),
        (Broken::AJobIsEveryJob, "the same slot of another job"),
        (Broken::TheLeaseIsIgnored, "the next slot during the run"),
        (Broken::TheLeaseNeverRunsOut, "the next slot after them"),
        (Broken::TheReadersLeaseCounts, "a claimer with a lease of seconds"),
        (Broken::AnyClockIsRight, "a clock that is five minutes off"),
        (Broken::ARefusedClaimIsWritten, "claims that were refused"),
        (Broken::EverySlotIsBelieved, "after one that cannot have been"),
        (Broken::AnyoneHolds, "another run holds it"),
        (Broken::AnySlotIsHeld, "the holder holds another slot"),
        (Broken::ReleaseFreesTheSlot, "the same slot after the release"),
        (Broken::ReleaseDoesNothing, "it is held after the release"),
        (Broken::AnyoneReleases, "a superseded run released"),
        (Broken::AnyoneRenews, "another run renews"),
        (Broken::AnySlotIsRenewed, "the holder renews another slot"),
        (Broken::AnyClockRenews, "its clock five minutes off"),
        (Broken::RenewingDoesNothing, "in the renewed one"),
        (Broken::AnyoneHandsBack, "or for another slot, handed back"),
        (Broken::AnySlotIsHandedBack, "or for another slot, handed back"),
        (Broken::HandingBackDoesNothing, "it is held after the hand-back"),
        (Broken::HandingBackFreesWhatIsBefore, "a slot between the one before and the one that was handed back"),
        (Broken::HandingBackTakesTheSlotBefore, "a slot between the one before and the one that was handed back"),
        (Broken::AClaimAfterAHandBackForgetsTheSlotBefore, "the last slot after the second hand-back"),
        (Broken::ReadThenWrite, "16 claims of one slot at once"),
    ] {
        let said = said(broken).await.unwrap_or_else(|| panic!("{broken:?} is not found"));
        assert!(said.contains(expected), "{broken:?}: {said}");
    }
}
