//! The list of an application's jobs and polls, checked at compile time, and the list with what it needs to run.

use std::{
    fmt,
    marker::PhantomData,
    sync::Arc,
    time::{Duration, SystemTime},
};

use futures_core::future::BoxFuture;

#[cfg(feature = "_database")]
use super::history::{HistoryEngine, RunHistory};
use super::{
    history::RecordsRuns,
    job::{Job, JobError, Meta, Run},
    lease::LeaseStore,
    name::{assert_another, assert_name},
    poll::{Poll, PollMeta, Tick},
    run::Boundary,
    run_until::RunUntil,
    slot::Slot,
};
use crate::clock::{Clock, JobClock, SystemClock};

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
    entries: &'static [Entry<A>],
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

fn next<A>(entries: &'static [Entry<A>], now: SystemTime, n: usize) -> Vec<(&'static Meta, Slot)> {
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

    /// The jobs together with the application that provides their parameters.
    #[must_use = "jobs run only once `run_until` is awaited"]
    pub fn with(&self, app: A) -> Jobs<A, L>
    where
        A: Send + Sync,
    {
        Jobs {
            entries: self.entries,
            app: Arc::new(app),
            clock: JobClock::new(SystemClock),
            store: None,
            history: None,
            grace: DEFAULT_GRACE,
            leases: PhantomData,
        }
    }
}

impl<A, L> fmt::Debug for Registry<A, L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.entries.iter().map(Entry::name)).finish()
    }
}

/// How long running jobs may go on after the shutdown signal. Kubernetes kills after 30 s; the rest is for the
/// releases.
const DEFAULT_GRACE: Duration = Duration::from_secs(25);

/// A registry with its application, ready to be told how to run: where the leases are, whose clock, how long to drain.
///
/// ```no_run
/// # use steadfast::{Registry, jobs::NoLeases};
/// # struct App;
/// # static JOBS: Registry<App, NoLeases> = Registry::new(&[]);
/// # async fn main_() -> Result<(), steadfast::jobs::StartError> {
/// JOBS.with(App)
///     .grace(std::time::Duration::from_secs(10))
///     .run_until(steadfast::shutdown_signal())
///     .await
/// # }
/// ```
///
/// Clones share the application, the store and the history: one runs, another serves an operator's requests.
///
/// ```no_run
/// # use steadfast::{Registry, jobs::NeedsLeases, testing::MemoryLeases, clock::SystemClock};
/// # struct App;
/// # static JOBS: Registry<App, NeedsLeases> = Registry::new(&[]);
/// use steadfast::{Jobs, jobs::{Leased, PauseError}};
///
/// async fn pause(operator: &Jobs<App, Leased>, job: &str) -> Result<(), PauseError> {
///     operator.pause(job, "the provider is down").await
/// }
///
/// # async fn main_() -> Result<(), Box<dyn std::error::Error>> {
/// let jobs = JOBS.with(App).leases(MemoryLeases::new(SystemClock));
/// let operator = jobs.clone();
/// let runner = tokio::spawn(jobs.run_until(steadfast::shutdown_signal()).into_future());
/// pause(&operator, "mail.weekly-digest").await?;
/// # Ok(()) }
/// ```
pub struct Jobs<A: 'static, L> {
    pub(crate) entries: &'static [Entry<A>],
    app: Arc<A>,
    pub(crate) clock: JobClock,
    pub(crate) store: Option<Arc<dyn LeaseStore>>,
    history: Option<Arc<dyn RecordsRuns>>,
    pub(crate) grace: Duration,
    leases: PhantomData<fn() -> L>,
}

impl<A: Send + Sync, L> Jobs<A, L> {
    /// Where the replicas agree on who runs an exclusive job's slot.
    #[must_use = "jobs run only once `run_until` is awaited"]
    pub fn leases(self, store: impl LeaseStore) -> Jobs<A, Leased> {
        Jobs {
            entries: self.entries,
            app: self.app,
            clock: self.clock,
            store: Some(Arc::new(store)),
            history: self.history,
            grace: self.grace,
            leases: PhantomData,
        }
    }

    /// Another clock than [`SystemClock`]: a virtual one in tests, a sped-up one in a demonstration.
    #[must_use = "jobs run only once `run_until` is awaited"]
    pub fn clock(mut self, clock: impl Clock) -> Self {
        self.clock = JobClock::new(clock);
        self
    }

    /// Records every run in a table: when it began, by what, and how it ended.
    #[cfg(feature = "_database")]
    #[must_use = "jobs run only once `run_until` is awaited"]
    pub fn history<DB: HistoryEngine>(mut self, history: &RunHistory<DB>) -> Self {
        self.history = Some(Arc::new(history.clone()));
        self
    }

    /// How long running jobs may go on after the shutdown began, 25 s if nothing is said. What is not done by then is
    /// dropped and its lease released; the slot stays taken, so nothing is done twice, and the next slot heals. A run that
    /// never yields cannot be dropped: it is left behind, and a runtime that is dropped waits for it.
    #[must_use = "jobs run only once `run_until` is awaited"]
    pub fn grace(mut self, grace: Duration) -> Self {
        self.grace = grace;
        self
    }

    /// Runs the jobs until `end` is over, then drains; does nothing until it is awaited.
    ///
    /// It takes a lease store to run a registry with an exclusive job; without [`Jobs::leases`] this does not compile.
    ///
    /// # Errors
    /// Awaiting it gives a [`StartError`](super::StartError) when the lease store is down or its table is missing.
    pub fn run_until<F>(self, end: F) -> RunUntil<A, F>
    where
        L: ReadyToRun,
        F: Future<Output = ()> + Send + 'static,
    {
        RunUntil::new(self.entries, self.boundary(), self.grace, end)
    }

    /// The next `n` slots of all jobs by the clock of these, the earliest first; a pause is not looked at. For the next slot of each job:
    /// [`Registry::iter`] and [`Meta::next_slot`].
    ///
    /// ```
    /// # use steadfast::{Registry, jobs::NoLeases};
    /// # struct App;
    /// # static JOBS: Registry<App, NoLeases> = Registry::new(&[]);
    /// for (job, slot) in JOBS.with(App).next(10) {
    ///     println!("{slot} {}", job.name);
    /// }
    /// ```
    #[must_use]
    pub fn next(&self, n: usize) -> Vec<(&'static Meta, Slot)> {
        next(self.entries, self.clock.now(), n)
    }

    /// The application that the jobs work with.
    #[must_use]
    pub fn app(&self) -> &A {
        &self.app
    }

    pub(crate) fn boundary(&self) -> Boundary<A> {
        Boundary {
            app: Arc::clone(&self.app),
            clock: self.clock.clone(),
            store: self.store.clone(),
            history: self.history.clone(),
        }
    }
}

/// The application, the store and the history are shared: one to run until the end, another for an operator's requests.
impl<A, L> Clone for Jobs<A, L> {
    fn clone(&self) -> Self {
        Self {
            entries: self.entries,
            app: Arc::clone(&self.app),
            clock: self.clock.clone(),
            store: self.store.clone(),
            history: self.history.clone(),
            grace: self.grace,
            leases: PhantomData,
        }
    }
}

/// Names only: the application and the store may hold secrets.
impl<A, L> fmt::Debug for Jobs<A, L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.entries.iter().map(Entry::name)).finish()
    }
}

/// May these jobs run as they are? Not with an exclusive job and no lease store.
#[diagnostic::on_unimplemented(
    message = "this registry has an exclusive job and no lease store",
    label = "call `.leases(..)` before running",
    note = "an exclusive job runs on one replica; the replicas agree through a table, for example `.leases(SqliteLeases::new(&pool))`"
)]
pub trait ReadyToRun {}

/// Is a lease store named?
#[diagnostic::on_unimplemented(
    message = "these jobs have no lease store",
    label = "call `.leases(..)` before",
    note = "a pause is in the row of an exclusive job, for example `JOBS.with(app).leases(SqliteLeases::new(&pool))`"
)]
pub trait HasLeases {}

/// No job of the registry is exclusive.
#[derive(Debug)]
pub struct NoLeases;
/// A job of the registry is exclusive, and no lease store is named yet.
#[derive(Debug)]
pub struct NeedsLeases;
/// A lease store is named.
#[derive(Debug)]
pub struct Leased;

impl ReadyToRun for NoLeases {}
impl ReadyToRun for Leased {}
impl HasLeases for Leased {}

/// Is a job of the registry exclusive? The answer as a type, for `registry!`.
#[derive(Debug)]
pub struct Flag<const EXCLUSIVE: bool>;

/// From the flag to the registry's second parameter.
pub trait LeaseKind {
    /// [`NeedsLeases`] or [`NoLeases`].
    type Kind;
}

impl LeaseKind for Flag<true> {
    type Kind = NeedsLeases;
}

impl LeaseKind for Flag<false> {
    type Kind = NoLeases;
}

/// Is one of them exclusive? In a constant, where iterators do not work.
#[must_use]
pub const fn any_exclusive<A>(entries: &[Entry<A>]) -> bool {
    let mut i = 0;
    while i < entries.len() {
        if entries[i].is_exclusive() {
            return true;
        }
        i += 1;
    }
    false
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
