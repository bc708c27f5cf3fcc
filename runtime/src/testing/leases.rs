//! Leases without a database: the same protocol over a map.

use std::{
    collections::HashMap,
    fmt,
    future::ready,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use crate::{
    clock::Clock,
    jobs::{
        Claim, Claimed, LeaseError, LeaseErrorKind, LeaseRow, LeaseStore, Slot,
        protocol::{Ask, NEVER, Row, TOLERANCE, decide, holds, millis},
    },
    platform::BoxFuture,
};

/// Leases in memory, for tests: clones share the rows, so several clones are several replicas. Not for jobs with fenced units, which
/// look for the row in their own database: those take that database's store.
///
/// ```
/// use steadfast::{LeaseStore, Slot, testing::{MemoryLeases, VirtualClock}};
/// use steadfast::jobs::{Claim, LEASE_MARGIN, RunId};
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// let slot = Slot::utc(2026, 1, 2, 3, 0).unwrap();
/// let clock = VirtualClock::at(slot);
/// let leases = MemoryLeases::new(clock.clone());
/// let (one, two) = (RunId::random(), RunId::random());
/// assert!(leases.claim(&Claim::new("digest", slot, LEASE_MARGIN, &one, &clock)).await.unwrap().is_won());
/// assert!(!leases.claim(&Claim::new("digest", slot, LEASE_MARGIN, &two, &clock)).await.unwrap().is_won());
/// # });
/// ```
#[derive(Clone)]
pub struct MemoryLeases {
    rows: Arc<Mutex<HashMap<String, Row>>>,
    clock: Arc<dyn Clock>,
}

impl MemoryLeases {
    /// No rows yet. `clock` is the store's own, with which a claimer's clock is compared.
    #[must_use]
    pub fn new(clock: impl Clock) -> Self {
        Self { rows: Arc::default(), clock: Arc::new(clock) }
    }

    /// Is a run of job `name` holding the lease, by the row? A lease that has run out is still in the row.
    #[must_use]
    pub fn is_held(&self, name: &str) -> bool {
        self.rows().get(name).is_some_and(|row| row.lease_until.is_some())
    }

    /// The slot that was claimed last for job `name` and not handed back.
    #[must_use]
    pub fn last_slot(&self, name: &str) -> Option<Slot> {
        self.rows().get(name)?.last_taken().map(Slot::from_unix_millis)
    }

    /// The run that claimed job `name` last; `None` before the first claim, empty after a slot was given back.
    #[must_use]
    pub fn holder(&self, name: &str) -> Option<String> {
        self.rows().get(name)?.holder.clone()
    }

    fn rows(&self) -> MutexGuard<'_, HashMap<String, Row>> {
        // Every change of a row is one assignment, so a panic elsewhere leaves whole rows.
        self.rows.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn decide(&self, claim: &Claim<'_>) -> Claimed {
        let (now, database) = (claim.now_millis(), millis(self.clock.now()));
        let ask = Ask { slot: claim.slot_millis(), now, run: claim.run() };
        let skew = now.saturating_sub(database);
        let mut rows = self.rows();
        if let Some(lost) = decide(rows.get(claim.name()), ask, database, TOLERANCE) {
            return Claimed::lost(lost, skew);
        }
        let row = rows.entry(claim.name().to_owned()).or_default();
        let token = match ask.slot {
            Some(slot) => {
                row.prev_slot = row.before(slot);
                slot
            }
            None => row.last_slot.unwrap_or(NEVER),
        };
        row.last_slot = Some(token);
        row.lease_until = Some(now.saturating_add(claim.lease_millis()));
        row.lease_ms = Some(claim.lease_millis());
        row.holder = Some(ask.run.to_owned());
        Claimed::won(token, skew)
    }
}

type Answer<'a, T> = BoxFuture<'a, Result<T, LeaseError>>;

fn answer<'a, T: Send + 'a>(answer: Result<T, LeaseError>) -> Answer<'a, T> {
    Box::pin(ready(answer))
}

impl LeaseStore for MemoryLeases {
    fn check(&self) -> Answer<'_, ()> {
        answer(Ok(()))
    }

    fn claim<'a>(&'a self, claim: &'a Claim<'a>) -> Answer<'a, Claimed> {
        // Not before it is awaited: who drops the question has not asked.
        Box::pin(async move { Ok(self.decide(claim)) })
    }

    fn holds<'a>(&'a self, name: &'a str, token: i64, run: &'a str) -> Answer<'a, bool> {
        let database = millis(self.clock.now());
        answer(Ok(holds(self.rows().get(name), token, run, database)))
    }

    fn renew<'a>(&'a self, claim: &'a Claim<'a>, token: i64) -> Answer<'a, bool> {
        let (now, database) = (claim.now_millis(), millis(self.clock.now()));
        let mut rows = self.rows();
        let row = rows.get_mut(claim.name()).filter(|row| row.is_of(token, claim.run()) && row.lease_until.is_some());
        answer(match row {
            None => Ok(false),
            Some(_) if now.abs_diff(database) > TOLERANCE.unsigned_abs() => Err(LeaseError::new(LeaseErrorKind::Skew)),
            Some(row) => {
                row.lease_until = Some(now.saturating_add(claim.lease_millis()));
                row.lease_ms = Some(claim.lease_millis());
                Ok(true)
            }
        })
    }

    fn release<'a>(&'a self, name: &'a str, run: &'a str) -> Answer<'a, ()> {
        Box::pin(async move {
            if let Some(row) = self.rows().get_mut(name).filter(|row| row.holder.as_deref() == Some(run)) {
                row.lease_until = None;
            }
            Ok(())
        })
    }

    fn hand_back<'a>(&'a self, name: &'a str, slot: Slot, run: &'a str) -> Answer<'a, ()> {
        let slot = slot.unix_millis();
        if let Some(row) = self.rows().get_mut(name).filter(|row| row.is_of(slot, run)) {
            row.last_slot = Some(slot - 1);
            row.lease_until = None;
            row.holder = Some(String::new());
        }
        answer(Ok(()))
    }

    fn pause<'a>(&'a self, name: &'a str, reason: &'a str) -> Answer<'a, ()> {
        let now = millis(self.clock.now());
        let mut rows = self.rows();
        let row = rows.entry(name.to_owned()).or_insert_with(|| Row { last_slot: Some(NEVER), ..Row::default() });
        row.paused_at = Some(now);
        row.pause_reason = Some(reason.to_owned());
        answer(Ok(()))
    }

    fn resume<'a>(&'a self, name: &'a str) -> Answer<'a, ()> {
        if let Some(row) = self.rows().get_mut(name) {
            row.paused_at = None;
            row.pause_reason = None;
        }
        answer(Ok(()))
    }

    fn row<'a>(&'a self, name: &'a str) -> Answer<'a, Option<LeaseRow>> {
        answer(Ok(self.rows().get(name).cloned().map(LeaseRow::from)))
    }
}

impl fmt::Debug for MemoryLeases {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.rows().iter().map(|(name, row)| (name, row.last_slot))).finish()
    }
}
