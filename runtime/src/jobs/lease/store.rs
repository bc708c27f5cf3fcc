//! What a lease store is asked.

use std::time::{Duration, SystemTime};

use super::{
    error::LeaseError,
    protocol::{LONGEST_LEASE, LostCause},
    run_id::RunId,
    seen::LeaseRow,
};
use crate::{
    clock::{Clock, since_epoch},
    jobs::Slot,
    platform::BoxFuture,
};

/// A question to the store: may this run have this slot, or, by hand, the lease without one?
pub struct Claim<'a> {
    name: &'a str,
    /// `None`: by hand.
    slot: Option<Slot>,
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
        Self { name, slot: Some(slot), lease, run, clock }
    }

    /// A claim by hand: it takes the lease if it is free, even of a job that is paused, and leaves the last slot as it is.
    #[must_use]
    pub const fn manual(name: &'a str, lease: Duration, run: &'a RunId, clock: &'a dyn Clock) -> Self {
        Self { name, slot: None, lease, run, clock }
    }

    /// The job, key of the row.
    #[must_use]
    pub const fn name(&self) -> &str {
        self.name
    }

    /// Is it a claim by hand?
    #[must_use]
    pub const fn is_manual(&self) -> bool {
        self.slot.is_none()
    }

    /// The slot in milliseconds since the epoch; `None` of a claim by hand.
    #[must_use]
    pub fn slot_millis(&self) -> Option<i64> {
        self.slot.map(Slot::unix_millis)
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
    /// The fencing token of a claim that won: the row's last slot in milliseconds since the epoch, which is the slot that was claimed,
    /// or for a claim by hand the one that is there, -1 before there was any. Together with the run it names who holds the row.
    pub token: i64,
    /// By how many milliseconds the claimer's clock is ahead of the store's.
    pub skew_millis: i64,
}

impl Claimed {
    /// The run has what it asked for; for stores.
    #[must_use]
    pub const fn won(token: i64, skew_millis: i64) -> Self {
        Self { lost: None, token, skew_millis }
    }

    /// The run has not; for stores.
    #[must_use]
    pub const fn lost(cause: LostCause, skew_millis: i64) -> Self {
        Self { lost: Some(cause), token: 0, skew_millis }
    }

    /// Has the run got what it asked for?
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
/// use std::future::ready;
/// use steadfast::platform::BoxFuture;
/// use steadfast::{LeaseStore, Slot, jobs::{Claim, Claimed, LeaseError, LeaseRow}};
///
/// /// One process only: it always wins.
/// struct Alone;
///
/// type Answer<'a, T> = BoxFuture<'a, Result<T, LeaseError>>;
///
/// impl LeaseStore for Alone {
///     fn check(&self) -> Answer<'_, ()> {
///         Box::pin(ready(Ok(())))
///     }
///     fn claim<'a>(&'a self, claim: &'a Claim<'a>) -> Answer<'a, Claimed> {
///         Box::pin(ready(Ok(Claimed::won(claim.slot_millis().unwrap_or(-1), 0))))
///     }
///     fn holds<'a>(&'a self, _: &'a str, _token: i64, _run: &'a str) -> Answer<'a, bool> {
///         Box::pin(ready(Ok(true)))
///     }
///     fn renew<'a>(&'a self, _: &'a Claim<'a>, _token: i64) -> Answer<'a, bool> {
///         Box::pin(ready(Ok(true)))
///     }
///     fn release<'a>(&'a self, _: &'a str, _run: &'a str) -> Answer<'a, ()> {
///         Box::pin(ready(Ok(())))
///     }
///     fn hand_back<'a>(&'a self, _: &'a str, _: Slot, _run: &'a str) -> Answer<'a, ()> {
///         Box::pin(ready(Ok(())))
///     }
///     fn pause<'a>(&'a self, _: &'a str, _reason: &'a str) -> Answer<'a, ()> {
///         Box::pin(ready(Ok(())))
///     }
///     fn resume<'a>(&'a self, _: &'a str) -> Answer<'a, ()> {
///         Box::pin(ready(Ok(())))
///     }
///     fn row<'a>(&'a self, _: &'a str) -> Answer<'a, Option<LeaseRow>> {
///         Box::pin(ready(Ok(None)))
///     }
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a lease store",
    label = "the leases of jobs cannot be kept there",
    note = "take that of your database, for example `SqliteLeases::new(&pool)`",
    note = "`.table(\"…\")` gives a `Result`: write `.table(\"…\")?`"
)]
pub trait LeaseStore: Send + Sync + 'static {
    /// Can the store be reached, and is its table there? Asked once, at the start.
    ///
    /// # Errors
    /// [`LeaseErrorKind::MissingTable`](super::LeaseErrorKind::MissingTable) names the call that creates it.
    fn check(&self) -> BoxFuture<'_, Result<(), LeaseError>>;

    /// Claims a slot, or by hand the lease alone. Losing is an answer, not an error.
    ///
    /// # Errors
    /// When the store cannot say. The claim may or may not have been applied then; the runner asks again with the same run.
    /// A store that is silent says so in a few seconds: the job has no other run until then.
    fn claim<'a>(&'a self, claim: &'a Claim<'a>) -> BoxFuture<'a, Result<Claimed, LeaseError>>;

    /// Does `run` hold the lease of job `name` under this fencing token ([`Claimed::token`]), and has the lease not run out by the
    /// store's own clock?
    ///
    /// # Errors
    /// When the store cannot say.
    fn holds<'a>(&'a self, name: &'a str, token: i64, run: &'a str) -> BoxFuture<'a, Result<bool, LeaseError>>;

    /// Prolongs the lease of the run that holds it under this fencing token; `false` when it does not hold it any more. A clock that is
    /// off prolongs nothing.
    ///
    /// # Errors
    /// When the store cannot say, or the run's clock is off ([`LeaseErrorKind::Skew`](super::LeaseErrorKind::Skew)).
    fn renew<'a>(&'a self, claim: &'a Claim<'a>, token: i64) -> BoxFuture<'a, Result<bool, LeaseError>>;

    /// Ends the lease of job `name` if `run` still holds it. The slot stays taken.
    ///
    /// # Errors
    /// When the store cannot say. The lease runs out by itself then.
    fn release<'a>(&'a self, name: &'a str, run: &'a str) -> BoxFuture<'a, Result<(), LeaseError>>;

    /// Gives the slot back, if `run` still holds it: the slot may be claimed again, and none before it; the holder is nobody, so that a
    /// fenced unit of this run commits no more.
    ///
    /// # Errors
    /// When the store cannot say. The lease runs out by itself then, and the slot stays taken.
    fn hand_back<'a>(&'a self, name: &'a str, slot: Slot, run: &'a str) -> BoxFuture<'a, Result<(), LeaseError>>;

    /// Pauses job `name`, also before its first claim: from the answer on no slot of it can be claimed. A run that is going on goes on.
    /// Of a job that is paused the reason and the time change.
    ///
    /// # Errors
    /// When the store cannot say. The job may or may not be paused then; to ask again is harmless.
    fn pause<'a>(&'a self, name: &'a str, reason: &'a str) -> BoxFuture<'a, Result<(), LeaseError>>;

    /// Ends the pause of job `name`, if there is one.
    ///
    /// # Errors
    /// When the store cannot say. To ask again is harmless.
    fn resume<'a>(&'a self, name: &'a str) -> BoxFuture<'a, Result<(), LeaseError>>;

    /// What the row of job `name` says; `None` before there is one.
    ///
    /// # Errors
    /// When the store cannot say.
    fn row<'a>(&'a self, name: &'a str) -> BoxFuture<'a, Result<Option<LeaseRow>, LeaseError>>;

    /// The database that the table is in, as sqlx names it (`Database::NAME`), if it is in one: a job whose units are fenced wants its
    /// own there.
    fn database(&self) -> Option<&'static str> {
        None
    }

    /// The name of the table, with its schema if it has one: what fenced units ask.
    #[allow(clippy::unnecessary_literal_bound, reason = "a store has its own name")]
    fn table(&self) -> &str {
        "jobs_leases"
    }
}
