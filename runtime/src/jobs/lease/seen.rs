//! What a row says, for people and for what was missed.

use std::time::SystemTime;

use super::protocol::Row;
use crate::jobs::Slot;

/// What the row of an exclusive job says. Nothing is decided by it: it may be another a moment later.
///
/// ```
/// use steadfast::{LeaseStore, Slot, jobs::{Claim, LEASE_MARGIN, RunId}, testing::{MemoryLeases, VirtualClock}};
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// let slot = Slot::utc(2026, 1, 2, 3, 0).unwrap();
/// let clock = VirtualClock::at(slot);
/// let (leases, run) = (MemoryLeases::new(clock.clone()), RunId::random());
/// leases.claim(&Claim::new("digest", slot, LEASE_MARGIN, &run, &clock)).await.unwrap();
/// leases.pause("digest", "the provider is down").await.unwrap();
///
/// let row = leases.row("digest").await.unwrap().unwrap();
/// assert_eq!((row.last_slot, row.held_until), (Some(slot), Some(slot.time() + LEASE_MARGIN)));
/// assert_eq!(row.paused.unwrap().reason, "the provider is down");
/// # });
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct LeaseRow {
    /// The slot that was claimed last and not handed back; `None` before there was one.
    pub last_slot: Option<Slot>,
    /// The slot that was handed back, and not claimed since: it can be claimed again, and none before it.
    pub handed_back: Option<Slot>,
    /// The run that has claimed last; `None` before there was one, and after its slot was handed back.
    pub holder: Option<String>,
    /// Until when the holder has the lease, if nobody renews or releases it; `None` when it is released. It may have run out.
    pub held_until: Option<SystemTime>,
    /// Since when and why no slot of the job can be claimed; `None`: it is not paused.
    pub paused: Option<Paused>,
}

/// A job that is paused.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Paused {
    /// Since when, by the clock of the store.
    pub since: SystemTime,
    /// Why, in the words of who paused it.
    pub reason: String,
}

impl Paused {
    /// For stores.
    #[must_use]
    pub fn new(since: SystemTime, reason: impl Into<String>) -> Self {
        Self { since, reason: reason.into() }
    }
}

impl From<Row> for LeaseRow {
    fn from(row: Row) -> Self {
        let reason = row.pause_reason.clone().unwrap_or_default();
        Self {
            last_slot: row.last_taken().map(Slot::from_unix_millis),
            handed_back: row.handed_back().map(Slot::from_unix_millis),
            holder: row.holder.filter(|holder| !holder.is_empty()),
            held_until: row.lease_until.map(time),
            paused: row.paused_at.map(|since| Paused { since: time(since), reason }),
        }
    }
}

/// Whatever somebody wrote there: beyond the years that a slot has, it is the first or the last of them.
pub(crate) fn time(millis: i64) -> SystemTime {
    let millis = millis.clamp(Slot::MIN.unix_millis(), Slot::MAX.unix_millis());
    match u64::try_from(millis) {
        Ok(after) => SystemTime::UNIX_EPOCH + std::time::Duration::from_millis(after),
        Err(_) => SystemTime::UNIX_EPOCH - std::time::Duration::from_millis(millis.unsigned_abs()),
    }
}
