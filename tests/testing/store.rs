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
    jobs::{Claim, Claimed, LeaseError, LeaseErrorKind, LeaseRow, LostCause, Paused},
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
    ASlotThatIsNotYetIsClaimed,
    AnyoneHolds,
    AnySlotIsHeld,
    ReleaseFreesTheSlot,
    ReleaseDoesNothing,
    AnyoneReleases,
    AnyoneRenews,
    AnySlotIsRenewed,
    AnyClockRenews,
    RenewingDoesNothing,
    AReleasedLeaseIsRenewed,
    AnyoneHandsBack,
    AnySlotIsHandedBack,
    HandingBackDoesNothing,
    HandingBackFreesWhatIsBefore,
    HandingBackTakesTheSlotBefore,
    AClaimAfterAHandBackForgetsTheSlotBefore,
    ASlotThatIsBackIsUnknown,
    ASlotStaysBack,
    ReadThenWrite,
    PausingDoesNothing,
    AnUnknownJobCannotBePaused,
    TheReasonStaysWhatItWas,
    APauseEndsTheRun,
    APauseRefusesARepeatedClaim,
    ResumingDoesNothing,
    ByHandTakesASlot,
    ByHandStealsTheLease,
    ByHandWaitsForThePause,
    ByHandAgainIsAnotherOne,
    ByHandAnyClockIsRight,
    ByHandNobodyHolds,
}

#[derive(Clone, Default)]
struct Row {
    /// -1: none yet.
    last_slot: i64,
    slot_before: i64,
    /// Handed back and not claimed since.
    back: Option<i64>,
    lease_from: i64,
    lease_until: Option<i64>,
    holder: String,
    paused: Option<String>,
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
        let right = if claim.is_manual() { Broken::ByHandAnyClockIsRight } else { Broken::AnyClockIsRight };
        if off && !self.breaks(right) {
            return Some(LostCause::Skew);
        }
        let now = claim.now_millis();
        let early = claim.slot_millis().is_some_and(|slot| slot > now + TOLERANCE);
        if early && !self.breaks(Broken::ASlotThatIsNotYetIsClaimed) {
            return Some(LostCause::Early);
        }
        let row = row?;
        let own = row.holder == claim.run();
        let Some(slot) = claim.slot_millis() else {
            let again = own && !self.breaks(Broken::ByHandAgainIsAnotherOne);
            let free = row.lease_until.is_none_or(|until| until < now) || self.breaks(Broken::ByHandStealsTheLease);
            let paused = row.paused.is_some() && self.breaks(Broken::ByHandWaitsForThePause);
            return match (again, free) {
                _ if paused => Some(LostCause::Paused),
                (true, _) | (_, true) => None,
                _ => Some(LostCause::Held),
            };
        };
        let paused = row.paused.as_ref().map(|_| LostCause::Paused);
        if own && (row.last_slot == slot || self.breaks(Broken::ARunHasEverySlot)) {
            return match () {
                () if self.breaks(Broken::ARepeatedClaimIsAnotherOne) => Some(LostCause::Slot),
                () if self.breaks(Broken::APauseRefusesARepeatedClaim) => paused,
                () => None,
            };
        }
        if paused.is_some() {
            return paused;
        }
        if row.last_slot >= slot && row.last_slot <= now + DAY && !self.breaks(Broken::ASlotIsClaimedAgain) {
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

    fn is_of(&self, row: &Row, token: i64, run: &str, any_run: Broken, any_slot: Broken) -> bool {
        (row.holder == run || self.breaks(any_run)) && (row.last_slot == token || self.breaks(any_slot))
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
            if let Some(lost) = lost.filter(|_| !(off && self.breaks(Broken::ARefusedClaimIsWritten))) {
                return Ok(Claimed::lost(lost, skew));
            }
            let mut rows = self.rows();
            let row = rows.entry(key).or_insert(Row { last_slot: -1, slot_before: -1, ..Row::default() });
            let again = !self.breaks(Broken::ARepeatedClaimForgetsTheSlotBefore);
            let back = !self.breaks(Broken::AClaimAfterAHandBackForgetsTheSlotBefore);
            let by_hand =
                if self.breaks(Broken::ByHandTakesASlot) { Some(claim.now_millis() / 60_000 * 60_000) } else { None };
            if let Some(slot) = claim.slot_millis().or(by_hand) {
                if !(again && row.last_slot == slot || back && row.is_back()) {
                    row.slot_before = row.last_slot;
                }
                row.last_slot = slot;
                row.back = row.back.filter(|_| self.breaks(Broken::ASlotStaysBack));
            }
            row.lease_from = claim.now_millis();
            row.lease_until = Some(row.lease_from + claim.lease_millis());
            claim.run().clone_into(&mut row.holder);
            Ok(lost.map_or(Claimed::won(row.last_slot, skew), |lost| Claimed::lost(lost, skew)))
        })
    }

    fn holds<'a>(&'a self, name: &'a str, token: i64, run: &'a str) -> BoxFuture<'a, Result<bool, LeaseError>> {
        let rows = self.rows();
        let row = rows
            .get(&self.key(name))
            .filter(|_| token >= 0 || !self.breaks(Broken::ByHandNobodyHolds))
            .filter(|row| self.is_of(row, token, run, Broken::AnyoneHolds, Broken::AnySlotIsHeld));
        Box::pin(ready(Ok(row.is_some_and(|row| row.lease_until.is_some_and(|until| until >= Self::now())))))
    }

    fn renew<'a>(&'a self, claim: &'a Claim<'a>, token: i64) -> BoxFuture<'a, Result<bool, LeaseError>> {
        let off = claim.now_millis().abs_diff(Self::now()) > TOLERANCE.unsigned_abs();
        let mut rows = self.rows();
        let row = rows
            .get_mut(&self.key(claim.name()))
            .filter(|row| self.is_of(row, token, claim.run(), Broken::AnyoneRenews, Broken::AnySlotIsRenewed))
            .filter(|row| row.lease_until.is_some() || self.breaks(Broken::AReleasedLeaseIsRenewed));
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
                && self.is_of(row, slot.unix_millis(), run, Broken::AnyoneHandsBack, Broken::AnySlotIsHandedBack)
        }) {
            let last_slot = match self.broken {
                Broken::HandingBackFreesWhatIsBefore => row.slot_before,
                Broken::HandingBackTakesTheSlotBefore => row.slot_before - 1,
                _ => row.last_slot - 1,
            };
            let back = Some(slot.unix_millis());
            *row = Row { last_slot, back, lease_until: None, holder: String::new(), ..row.clone() };
        }
        Box::pin(ready(Ok(())))
    }

    fn pause<'a>(&'a self, name: &'a str, reason: &'a str) -> BoxFuture<'a, Result<(), LeaseError>> {
        let mut rows = self.rows();
        if !self.breaks(Broken::AnUnknownJobCannotBePaused) {
            rows.entry(self.key(name)).or_insert(Row { last_slot: -1, slot_before: -1, ..Row::default() });
        }
        let keeps = self.breaks(Broken::TheReasonStaysWhatItWas);
        let row = rows.get_mut(&self.key(name)).filter(|row| !(keeps && row.paused.is_some()));
        if let Some(row) = row.filter(|_| !self.breaks(Broken::PausingDoesNothing)) {
            row.paused = Some(reason.to_owned());
            if self.breaks(Broken::APauseEndsTheRun) {
                row.lease_until = None;
            }
        }
        Box::pin(ready(Ok(())))
    }

    fn resume<'a>(&'a self, name: &'a str) -> BoxFuture<'a, Result<(), LeaseError>> {
        let mut rows = self.rows();
        if let Some(row) = rows.get_mut(&self.key(name)).filter(|_| !self.breaks(Broken::ResumingDoesNothing)) {
            row.paused = None;
        }
        Box::pin(ready(Ok(())))
    }

    fn row<'a>(&'a self, name: &'a str) -> BoxFuture<'a, Result<Option<LeaseRow>, LeaseError>> {
        let rows = self.rows();
        let row = rows.get(&self.key(name)).map(|row| {
            let last = if row.is_back() { row.slot_before } else { row.last_slot };
            let mut seen = LeaseRow::default();
            seen.last_slot =
                (last > 0 && !self.breaks(Broken::TheLastSlotIsUnknown)).then(|| Slot::from_unix_millis(last));
            let back = row.back.filter(|_| !self.breaks(Broken::ASlotThatIsBackIsUnknown));
            seen.handed_back = back.map(Slot::from_unix_millis);
            seen.paused = row.paused.as_ref().map(|reason| Paused::new(SystemClock.now(), reason));
            seen
        });
        Box::pin(ready(Ok(row)))
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
        (Broken::ASlotThatIsNotYetIsClaimed, "a slot that is more than a minute ahead"),
        (Broken::AnyoneHolds, "another run holds it"),
        (Broken::AnySlotIsHeld, "the holder holds another slot"),
        (Broken::ReleaseFreesTheSlot, "the same slot after the release"),
        (Broken::ReleaseDoesNothing, "it is held after the release"),
        (Broken::AnyoneReleases, "a superseded run released"),
        (Broken::AnyoneRenews, "another run renews"),
        (Broken::AnySlotIsRenewed, "the holder renews another slot"),
        (Broken::AnyClockRenews, "its clock five minutes off"),
        (Broken::AReleasedLeaseIsRenewed, "a lease that was released, renewed"),
        (Broken::RenewingDoesNothing, "in the renewed one"),
        (Broken::AnyoneHandsBack, "or for another slot, handed back"),
        (Broken::AnySlotIsHandedBack, "or for another slot, handed back"),
        (Broken::HandingBackDoesNothing, "it is held after the hand-back"),
        (Broken::HandingBackFreesWhatIsBefore, "a slot between the one before and the one that was handed back"),
        (Broken::HandingBackTakesTheSlotBefore, "a slot between the one before and the one that was handed back"),
        (Broken::AClaimAfterAHandBackForgetsTheSlotBefore, "the last slot after the second hand-back"),
        (Broken::ASlotThatIsBackIsUnknown, "the slot that was handed back, in the row"),
        (Broken::ASlotStaysBack, "the slot that was handed back and claimed again, in the row"),
        (Broken::ReadThenWrite, "16 claims of one slot at once"),
        (Broken::PausingDoesNothing, "a claim of a job that is paused"),
        (Broken::AnUnknownJobCannotBePaused, "a claim of a job that is paused"),
        (Broken::TheReasonStaysWhatItWas, "the reason of a pause"),
        (Broken::APauseEndsTheRun, "the holder holds its lease in a pause"),
        (Broken::APauseRefusesARepeatedClaim, "the holder claims again"),
        (Broken::ResumingDoesNothing, "a pause that has ended"),
        (Broken::ByHandTakesASlot, "the token of a claim by hand before there was a slot"),
        (Broken::ByHandStealsTheLease, "a claim by hand during a run"),
        (Broken::ByHandWaitsForThePause, "a claim by hand of a job that is paused"),
        (Broken::ByHandAgainIsAnotherOne, "a claim by hand of a job that is paused, and again"),
        (Broken::ByHandAnyClockIsRight, "a claim by hand of a clock that is off"),
        (Broken::ByHandNobodyHolds, "the lease is held by hand"),
    ] {
        let said = said(broken).await.unwrap_or_else(|| panic!("{broken:?} is not found"));
        assert!(said.contains(expected), "{broken:?}: {said}");
    }
}
