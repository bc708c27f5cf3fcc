//! Leases without a database: the same protocol over a map.

use std::{
    collections::HashMap,
    fmt,
    future::ready,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use futures_core::future::BoxFuture;

use crate::{
    clock::Clock,
    jobs::{
        Claim, Claimed, LeaseError, LeaseErrorKind, LeaseStore, Slot,
        protocol::{Ask, Row, TOLERANCE, decide, holds, millis},
    },
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
        let mut rows = self.rows();
        let lost = decide(rows.get(claim.name()), ask, database, TOLERANCE);
        if lost.is_none() {
            let prev_slot = rows.get(claim.name()).and_then(|row| row.before(ask.slot));
            let row = Row {
                prev_slot,
                last_slot: Some(ask.slot),
                lease_until: Some(now.saturating_add(claim.lease_millis())),
                lease_ms: Some(claim.lease_millis()),
                holder: Some(ask.run.to_owned()),
            };
            rows.insert(claim.name().to_owned(), row);
        }
        Claimed::new(lost, now.saturating_sub(database))
    }
}

impl LeaseStore for MemoryLeases {
    fn check(&self) -> BoxFuture<'_, Result<(), LeaseError>> {
        Box::pin(ready(Ok(())))
    }

    fn claim<'a>(&'a self, claim: &'a Claim<'a>) -> BoxFuture<'a, Result<Claimed, LeaseError>> {
        Box::pin(async move { Ok(self.decide(claim)) })
    }

    fn holds<'a>(&'a self, name: &'a str, slot: Slot, run: &'a str) -> BoxFuture<'a, Result<bool, LeaseError>> {
        let database = millis(self.clock.now());
        Box::pin(ready(Ok(holds(self.rows().get(name), slot.unix_millis(), run, database))))
    }

    fn renew<'a>(&'a self, claim: &'a Claim<'a>) -> BoxFuture<'a, Result<bool, LeaseError>> {
        let (now, database) = (claim.now_millis(), millis(self.clock.now()));
        let mut rows = self.rows();
        let row = rows.get_mut(claim.name()).filter(|row| row.is_of(claim.slot_millis(), claim.run()));
        let renewed = match row {
            None => Ok(false),
            Some(_) if now.abs_diff(database) > TOLERANCE.unsigned_abs() => Err(LeaseError::new(LeaseErrorKind::Skew)),
            Some(row) => {
                row.lease_until = Some(now.saturating_add(claim.lease_millis()));
                row.lease_ms = Some(claim.lease_millis());
                Ok(true)
            }
        };
        Box::pin(ready(renewed))
    }

    fn hand_back<'a>(&'a self, name: &'a str, slot: Slot, run: &'a str) -> BoxFuture<'a, Result<(), LeaseError>> {
        let slot = slot.unix_millis();
        if let Some(row) = self.rows().get_mut(name).filter(|row| row.is_of(slot, run)) {
            *row = Row { last_slot: Some(slot - 1), lease_until: None, holder: Some(String::new()), ..row.clone() };
        }
        Box::pin(ready(Ok(())))
    }

    fn last_slot<'a>(&'a self, name: &'a str) -> BoxFuture<'a, Result<Option<Slot>, LeaseError>> {
        Box::pin(ready(Ok(Self::last_slot(self, name))))
    }

    fn release<'a>(&'a self, name: &'a str, run: &'a str) -> BoxFuture<'a, Result<(), LeaseError>> {
        Box::pin(async move {
            if let Some(row) = self.rows().get_mut(name)
                && row.holder.as_deref() == Some(run)
            {
                row.lease_until = None;
            }
            Ok(())
        })
    }
}

impl fmt::Debug for MemoryLeases {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.rows().iter().map(|(name, row)| (name, row.last_slot))).finish()
    }
}
