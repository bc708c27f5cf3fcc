//! The list of an application's jobs and polls, checked at compile time.

#[cfg(any(target_family = "wasm", feature = "worker"))]
use std::time::Duration;
use std::{fmt, marker::PhantomData, time::SystemTime};

use super::{
    job::{Job, JobError, Meta, Run},
    name::{assert_another, assert_name},
    poll::{Poll, PollMeta, Tick},
    slot::Slot,
};
use crate::{clock::JobClock, platform::BoxFuture};

/// The longest run on Cloudflare Workers: an event ends after 15 minutes, and the claim and the release are in it.
#[cfg(any(target_family = "wasm", feature = "worker"))]
pub(crate) const LONGEST_ON_WORKERS: Duration = Duration::from_mins(14);

/// The jobs and polls of an application of type `A`, made by `registry!`.
///
/// `L` says at compile time whether one of them is exclusive, so that a lease store cannot be forgotten.
///
/// ```
/// # struct App;
/// use steadfast::{Registry, jobs::NoLeases};
///
/// // what `registry! { pub static JOBS for App = []; }` writes
/// static JOBS: Registry<App, NoLeases> = Registry::new(&[]);
/// assert_eq!(JOBS.iter().count(), 0);
/// ```
pub struct Registry<A: 'static, L> {
    pub(crate) entries: &'static [Entry<A>],
    leases: PhantomData<fn() -> L>,
}

/// A job or a poll of the registry: its constants and how to call it.
pub struct Entry<A>(Kind<A>);

enum Kind<A> {
    Job(JobEntry<A>),
    Poll(PollEntry<A>),
}

/// A job of the registry.
pub(crate) struct JobEntry<A> {
    pub(crate) meta: Meta,
    pub(crate) run: for<'r> fn(Run<'r>, &'r A) -> BoxFuture<'r, Result<(), JobError>>,
}

/// A poll of the registry.
pub(crate) struct PollEntry<A> {
    pub(crate) meta: PollMeta,
    pub(crate) tick: for<'r> fn(&'r JobClock, &'r A) -> BoxFuture<'r, Result<Tick, JobError>>,
}

/// What a registry of an application of type `A` can list; implemented by `#[job]` and `#[poll]`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a job",
    label = "only functions annotated with `#[job]` or `#[poll]` can be registered",
    note = "annotate the function, for example `#[job(cron = \"0 3 * * *\", timeout = \"5m\")]`"
)]
// Implemented for one type at a time: of two that could fit, rustc does not say what either lacks.
pub trait Listed<A>: Sized {
    /// Its entry: [`Entry::job`] or [`Entry::poll`].
    const ENTRY: Entry<A>;
}

impl<A> Entry<A> {
    /// The entry of `J`; called by `registry!`, in a constant.
    ///
    /// # Panics
    /// At compile time, when the name cannot be one. Names made by `#[job]` and `#[poll]` always can.
    #[must_use]
    pub const fn of<J: Listed<A>>() -> Self {
        assert_name(J::ENTRY.name());
        #[cfg(target_family = "wasm")]
        J::ENTRY.assert_fits_workers();
        J::ENTRY
    }

    /// The entry of a job.
    #[must_use]
    pub const fn job<J: Job<A> + 'static>() -> Self {
        Self(Kind::Job(JobEntry { meta: J::META, run: |run, app| Box::pin(J::run(run, app)) }))
    }

    /// The entry of a poll.
    #[must_use]
    pub const fn poll<P: Poll<A> + 'static>() -> Self {
        Self(Kind::Poll(PollEntry { meta: P::META, tick: |clock, app| Box::pin(P::tick(clock, app)) }))
    }

    /// # Panics
    /// At compile time, on Cloudflare Workers.
    #[cfg(target_family = "wasm")]
    const fn assert_fits_workers(&self) {
        match &self.0 {
            Kind::Job(job) => assert!(
                job.meta.timeout.as_millis() <= LONGEST_ON_WORKERS.as_millis(),
                "a job of a Worker may take 14 minutes, since Cloudflare ends an event after 15; shorten it, for example `timeout = \"14m\"`"
            ),
            Kind::Poll(_) => panic!(
                "a Worker has no loop to run a poll in; keep it in a registry of the server's, or make it a job, for example \
                 `#[job(cron = \"* * * * *\", timeout = \"50s\")]`"
            ),
        }
    }

    /// The name of the job or poll.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match &self.0 {
            Kind::Job(job) => job.meta.name,
            Kind::Poll(poll) => poll.meta.name,
        }
    }

    /// Whether only one replica may run a slot of this job.
    #[must_use]
    pub const fn is_exclusive(&self) -> bool {
        match &self.0 {
            Kind::Job(job) => job.meta.exclusive,
            Kind::Poll(_) => false,
        }
    }
}

/// The jobs among them.
pub(crate) fn jobs<A>(entries: &'static [Entry<A>]) -> impl Iterator<Item = &'static JobEntry<A>> {
    entries.iter().filter_map(|entry| match &entry.0 {
        Kind::Job(job) => Some(job),
        Kind::Poll(_) => None,
    })
}

pub(crate) fn next<A>(entries: &'static [Entry<A>], now: SystemTime, n: usize) -> Vec<(&'static Meta, Slot)> {
    let mut slots: Vec<_> =
        jobs(entries).flat_map(|job| job.meta.slots_after(now).take(n).map(|slot| (&job.meta, slot))).collect();
    // Stable: jobs of one slot in the order of the list.
    slots.sort_by_key(|(_, slot)| *slot);
    slots.truncate(n);
    slots
}

/// The polls among them.
pub(crate) fn polls<A>(entries: &'static [Entry<A>]) -> impl Iterator<Item = &'static PollEntry<A>> {
    entries.iter().filter_map(|entry| match &entry.0 {
        Kind::Job(_) => None,
        Kind::Poll(poll) => Some(poll),
    })
}

impl<A, L> Registry<A, L> {
    /// A registry of these entries; called by `registry!`.
    #[must_use]
    pub const fn new(entries: &'static [Entry<A>]) -> Self {
        Self { entries, leases: PhantomData }
    }

    /// The jobs in the order of the list.
    pub fn iter(&self) -> impl Iterator<Item = &'static Meta> + use<A, L> {
        jobs(self.entries).map(|entry| &entry.meta)
    }

    /// The polls in the order of the list: they have no slots, and are none of the jobs.
    pub fn polls(&self) -> impl Iterator<Item = &'static PollMeta> + use<A, L> {
        polls(self.entries).map(|entry| &entry.meta)
    }

    /// The next `n` slots of all jobs after the minute of `now`, the earliest first.
    #[must_use]
    pub fn next(&self, now: SystemTime, n: usize) -> Vec<(&'static Meta, Slot)> {
        next(self.entries, now, n)
    }
}

impl<A, L> fmt::Debug for Registry<A, L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.entries.iter().map(Entry::name)).finish()
    }
}

/// Refuses a job that has the name of one before it in the list; called once per job, at that job's token.
///
/// # Panics
/// At compile time, naming the name.
#[track_caller]
pub const fn fresh<A>(entries: &[Entry<A>], at: usize) {
    let name = entries[at].name();
    let mut i = 0;
    while i < at {
        assert_another(name, entries[i].name());
        i += 1;
    }
}
