//! What a job is: its constants, the trait the macro implements, and what it may take as parameters.

use std::{
    error::Error,
    fmt,
    time::{Duration, SystemTime},
};

use super::{
    cron::Cron,
    lease::{HEARTBEAT_LEASE, Held, LEASE_MARGIN},
    slot::Slot,
};
use crate::{clock::JobClock, platform::MaybeSend, retry::IsResult};

/// Any error of a job. A job's own type becomes one by `?`, since every `Error + Send + Sync` does.
pub type JobError = Box<dyn Error + Send + Sync>;

/// The error type of the function of a job, a poll or an item.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the error type of a job, a poll or an item",
    label = "a failed run is logged with its error, and its source, by the task that ran it",
    note = "it needs to be `std::error::Error + Send + Sync`, for example by `#[derive(Debug, thiserror::Error)]`"
)]
pub trait IntoJobError {
    /// The error, whatever its type.
    fn into_job_error(self) -> JobError;
}

#[diagnostic::do_not_recommend]
impl<E: Into<JobError>> IntoJobError for E {
    fn into_job_error(self) -> JobError {
        self.into()
    }
}

/// The end of a run: what the function returned on success is for its other callers.
///
/// # Errors
/// The function's own.
pub fn ended<R: IsResult<Err: IntoJobError>>(result: R) -> Result<(), JobError> {
    failed(result).map(drop)
}

/// What the function returned, and its error as any other.
///
/// # Errors
/// The function's own.
pub fn failed<R: IsResult<Err: IntoJobError>>(result: R) -> Result<R::Ok, JobError> {
    result.into_result().map_err(IntoJobError::into_job_error)
}

/// What `#[job]` knows about a job, as a constant.
///
/// ```
/// # fn print(jobs: &[steadfast::jobs::Meta]) {
/// for job in jobs {
///     println!("{} ({}), next: {:?}", job.name, job.cron_text, job.next_slot(std::time::SystemTime::now()));
/// }
/// # }
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Meta {
    /// The key of the job's lease row, the label of its metrics: `[a-z0-9._-]`, 1 to 64 bytes.
    pub name: &'static str,
    /// When it runs.
    pub cron: Cron,
    /// The same in canonical text, for example `0 3 * * *`.
    pub cron_text: &'static str,
    /// Whether only one replica may run a slot.
    pub exclusive: bool,
    /// How long one run may take, measured by a clock that never jumps.
    pub timeout: Duration,
    /// What an exclusive job does with its lease besides.
    pub lease: LeaseMode,
    /// How late a slot that was missed is still run once at the start, if it is.
    pub catch_up: Option<Duration>,
    /// How far the job's start may be moved behind its slot, by its name; the same on every replica.
    pub splay: Duration,
    /// The database that the job's lease has to be in, as sqlx names it; `None` for a job that does not take its lease.
    pub lease_in: Option<&'static str>,
}

/// What an exclusive job does with its lease besides claiming and releasing it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct LeaseMode {
    /// The lease is short and renewed while the run is alive: `heartbeat`.
    pub heartbeat: bool,
    /// A run that the shutdown cuts off gives its slot back: `on_shutdown = hand_back`.
    pub hand_back: bool,
}

impl LeaseMode {
    /// What `#[job]` writes.
    #[doc(hidden)]
    #[must_use]
    pub const fn new(heartbeat: bool, hand_back: bool) -> Self {
        Self { heartbeat, hand_back }
    }
}

impl Meta {
    /// The slots after the minute of `now`, in their order, without an end where the schedule has none.
    pub fn slots_after(&self, now: SystemTime) -> impl Iterator<Item = Slot> + use<> {
        let cron = self.cron;
        std::iter::successors(cron.next(Slot::floor(now)), move |slot| cron.next(*slot))
    }

    /// How long a claim holds the slot: the timeout and one minute, or three minutes where the lease is renewed.
    pub(crate) const fn lease_length(&self) -> Duration {
        if self.lease.heartbeat { HEARTBEAT_LEASE } else { self.timeout.saturating_add(LEASE_MARGIN) }
    }

    /// How far behind its slot the job starts: a pure function of the name, below the splay.
    pub(crate) fn offset(&self) -> Duration {
        let splay = self.splay.as_millis();
        if splay == 0 {
            return Duration::ZERO;
        }
        let hash = crate::retry::durable::fnv(&self.name);
        Duration::from_millis(u64::try_from(u128::from(hash) % splay).unwrap_or(u64::MAX))
    }

    /// The first slot after the minute of `now`; `None` when the schedule never fires again.
    #[must_use]
    pub fn next_slot(&self, now: SystemTime) -> Option<Slot> {
        self.cron.next(Slot::floor(now))
    }
}

/// A type that stands for a job; implemented by `#[job]`, beside the function and under its name.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a job",
    label = "only functions annotated with `#[job]` can be registered",
    note = "annotate the function, for example `#[job(cron = \"0 3 * * *\", timeout = \"5m\")]`"
)]
pub trait JobMeta {
    /// The job's constants.
    const META: Meta;
}

/// A job that an application of type `A` can run; implemented by `#[job]` for every `A` that provides its parameters.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a job",
    label = "only functions annotated with `#[job]` can be registered",
    note = "annotate the function, for example `#[job(cron = \"0 3 * * *\", timeout = \"5m\")]`"
)]
pub trait Job<A>: JobMeta {
    /// Calls the function with the slot and with what the application provides.
    ///
    /// # Errors
    /// The function's own error.
    fn run(run: Run<'_>, app: &A) -> impl Future<Output = Result<(), JobError>> + MaybeSend;
}

/// A value that the application hands to its jobs; implemented by `#[derive(Provide)]`, one per field.
///
/// ```
/// use steadfast::jobs::Provide;
///
/// struct Mailer;
/// struct App { mailer: Mailer }
///
/// impl Provide<Mailer> for App {
///     fn provide(&self) -> &Mailer {
///         &self.mailer
///     }
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not provide `{T}`, which a job takes as a parameter",
    label = "add a field of type `{T}` and derive `Provide`",
    note = "every parameter of a job but the slot comes from the application, for example `#[derive(steadfast::Provide)] struct App {{ .. }}`"
)]
pub trait Provide<T: ?Sized> {
    /// The value, borrowed for one run.
    fn provide(&self) -> &T;
}

/// One run of a job, as `Job::run` sees it.
#[derive(Clone, Copy)]
pub struct Run<'r> {
    slot: Slot,
    clock: &'r JobClock,
    // Without a database no job takes its lease.
    #[cfg_attr(not(feature = "_database"), allow(dead_code))]
    held: Option<&'r Held>,
}

impl<'r> Run<'r> {
    pub(crate) const fn new(slot: Slot, clock: &'r JobClock, held: Option<&'r Held>) -> Self {
        Self { slot, clock, held }
    }

    /// The lease of an exclusive run.
    #[cfg(feature = "_database")]
    pub(crate) const fn held(&self) -> Option<&'r Held> {
        self.held
    }

    /// The slot of this run.
    #[must_use]
    pub const fn slot(&self) -> Slot {
        self.slot
    }

    /// The clock of the runner.
    #[must_use]
    pub const fn clock(&self) -> &'r JobClock {
        self.clock
    }
}

impl fmt::Debug for Run<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Run").field("slot", &self.slot).finish_non_exhaustive()
    }
}
