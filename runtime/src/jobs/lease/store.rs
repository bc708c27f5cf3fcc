//! What a lease store is asked.

use std::time::{Duration, SystemTime};

use futures_core::future::BoxFuture;

use super::{
    error::LeaseError,
    protocol::{LONGEST_LEASE, LostCause},
    run_id::RunId,
};
use crate::{
    clock::{Clock, since_epoch},
    jobs::Slot,
};

/// A question to the store: may this run have this slot?
pub struct Claim<'a> {
    name: &'a str,
    slot: Slot,
    lease: Duration,
    run: &'a RunId,
    clock: &'a dyn Clock,
}

impl<'a> Claim<'a> {
    /// A claim of `slot` for job `name`, for at most `lease` (the job's timeout plus [`LEASE_MARGIN`](super::LEASE_MARGIN)).
    ///
    /// `clock` is the claimer's: its `now` is a parameter of the claim (`docs/rules.md#one-statement-claims-a-slot`).
    #[must_use]
    pub const fn new(name: &'a str, slot: Slot, lease: Duration, run: &'a RunId, clock: &'a dyn Clock) -> Self {
        Self { name, slot, lease, run, clock }
    }

    /// The job, key of the row.
    #[must_use]
    pub const fn name(&self) -> &str {
        self.name
    }

    /// The slot in milliseconds since the epoch.
    #[must_use]
    pub const fn slot_millis(&self) -> i64 {
        self.slot.unix_millis()
    }

    /// The lease in milliseconds, at most 365 days.
    #[must_use]
    pub fn lease_millis(&self) -> i64 {
        i64::try_from(self.lease.as_millis()).map_or(LONGEST_LEASE, |millis| millis.min(LONGEST_LEASE))
    }

    /// The run that would be the holder.
    #[must_use]
    pub fn run(&self) -> &str {
        self.run.as_str()
    }

    /// The claimer's wall clock in milliseconds since the epoch, read at this call and clamped to the range of a slot.
    ///
    /// To be asked when the connection is in hand: a wait for one would look like a clock that is behind.
    #[must_use]
    pub fn now_millis(&self) -> i64 {
        millis(self.clock.now())
    }
}

/// Milliseconds since the epoch, clamped to the range of a slot.
pub(crate) fn millis(time: SystemTime) -> i64 {
    let (seconds, nanos) = since_epoch(time);
    let seconds = seconds.clamp(Slot::MIN.unix_seconds(), Slot::MAX.unix_seconds());
    seconds * 1000 + i64::from(nanos / 1_000_000)
}

/// The answer to a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Claimed {
    /// `None`: the run has the slot. Otherwise why not.
    pub lost: Option<LostCause>,
    /// By how many milliseconds the claimer's clock is ahead of the store's.
    pub skew_millis: i64,
}

impl Claimed {
    /// An answer; for stores.
    #[must_use]
    pub const fn new(lost: Option<LostCause>, skew_millis: i64) -> Self {
        Self { lost, skew_millis }
    }

    /// Has the run got the slot?
    #[must_use]
    pub const fn is_won(&self) -> bool {
        self.lost.is_none()
    }
}

/// Where the replicas agree on who runs a slot.
///
/// `SqliteLeases`, `PostgresLeases` and `MySqlLeases` keep one row a job in the application's own database. Another store must decide as they
/// do, atomically (`docs/rules.md#one-statement-claims-a-slot`), and must answer a repeated claim of the same run and slot as it
/// answered the first: the acknowledgement may have been lost. `steadfast::testing::assert_lease_store` shows whether it does.
///
/// ```
/// use std::{future::ready, time::Duration};
/// use futures_core::future::BoxFuture;
/// use steadfast::{LeaseStore, Slot, jobs::{Claim, Claimed, LeaseError}};
///
/// /// One process only: it always wins.
/// struct Alone;
///
/// impl LeaseStore for Alone {
///     fn check(&self) -> BoxFuture<'_, Result<(), LeaseError>> {
///         Box::pin(ready(Ok(())))
///     }
///     fn claim<'a>(&'a self, _: &'a Claim<'a>) -> BoxFuture<'a, Result<Claimed, LeaseError>> {
///         Box::pin(ready(Ok(Claimed::new(None, 0))))
///     }
///     fn holds<'a>(&'a self, _: &'a str, _: Slot, _: &'a str) -> BoxFuture<'a, Result<bool, LeaseError>> {
///         Box::pin(ready(Ok(true)))
///     }
///     fn renew<'a>(&'a self, _: &'a Claim<'a>) -> BoxFuture<'a, Result<bool, LeaseError>> {
///         Box::pin(ready(Ok(true)))
///     }
///     fn hand_back<'a>(&'a self, _: &'a str, _: Slot, _: &'a str) -> BoxFuture<'a, Result<(), LeaseError>> {
///         Box::pin(ready(Ok(())))
///     }
///     fn last_slot<'a>(&'a self, _: &'a str) -> BoxFuture<'a, Result<Option<Slot>, LeaseError>> {
///         Box::pin(ready(Ok(None)))
///     }
///     fn release<'a>(&'a self, _: &'a str, _: &'a str) -> BoxFuture<'a, Result<(), LeaseError>> {
///         Box::pin(ready(Ok(())))
///     }
/// }
/// ```
pub trait LeaseStore: Send + Sync + 'static {
    /// Can the store be reached, and is its table there? Asked once, at the start.
    ///
    /// # Errors
    /// [`LeaseErrorKind::MissingTable`](super::LeaseErrorKind::MissingTable) names the call that creates it.
    fn check(&self) -> BoxFuture<'_, Result<(), LeaseError>>;

    /// Claims a slot. Losing is an answer, not an error.
    ///
    /// # Errors
    /// When the store cannot say. The claim may or may not have been applied then; the runner asks again with the same run.
    /// A store that is silent says so in a few seconds: the job has no other run until then.
    fn claim<'a>(&'a self, claim: &'a Claim<'a>) -> BoxFuture<'a, Result<Claimed, LeaseError>>;

    /// Does `run` hold the lease of job `name` for this slot, and has the lease not run out by the store's own clock?
    ///
    /// # Errors
    /// When the store cannot say.
    fn holds<'a>(&'a self, name: &'a str, slot: Slot, run: &'a str) -> BoxFuture<'a, Result<bool, LeaseError>>;

    /// Prolongs the lease of the run that holds the slot; `false` when it does not hold it any more. A clock that is off prolongs
    /// nothing.
    ///
    /// # Errors
    /// When the store cannot say, or the run's clock is off ([`LeaseErrorKind::Skew`](super::LeaseErrorKind::Skew)).
    fn renew<'a>(&'a self, claim: &'a Claim<'a>) -> BoxFuture<'a, Result<bool, LeaseError>>;

    /// Gives the slot back, if `run` still holds it: the slot may be claimed again, and none before it; the holder is nobody, so that a
    /// fenced unit of this run commits no more.
    ///
    /// # Errors
    /// When the store cannot say. The lease runs out by itself then, and the slot stays taken.
    fn hand_back<'a>(&'a self, name: &'a str, slot: Slot, run: &'a str) -> BoxFuture<'a, Result<(), LeaseError>>;

    /// The slot that was claimed last for job `name` and not handed back; `None` before there was one.
    ///
    /// # Errors
    /// When the store cannot say.
    fn last_slot<'a>(&'a self, name: &'a str) -> BoxFuture<'a, Result<Option<Slot>, LeaseError>>;

    /// The database that the table is in, as sqlx names it (`Database::NAME`), if it is in one: a job whose units are fenced wants its
    /// own there.
    fn database(&self) -> Option<&'static str> {
        None
    }

    /// Ends the lease of job `name` if `run` still holds it. The slot stays taken.
    ///
    /// # Errors
    /// When the store cannot say. The lease runs out by itself then.
    fn release<'a>(&'a self, name: &'a str, run: &'a str) -> BoxFuture<'a, Result<(), LeaseError>>;
}
