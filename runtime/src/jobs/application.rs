//! A registry with its application, and what the jobs need to run.

use std::{fmt, marker::PhantomData, sync::Arc, time::Duration};

#[cfg(feature = "_database")]
use super::history::{HistoryEngine, RunHistory};
use super::{
    history::RecordsRuns,
    job::Meta,
    lease::LeaseStore,
    ready::Leased,
    registry::{Entry, Registry, next},
    run::Boundary,
    slot::Slot,
};
use crate::{
    clock::{Clock, JobClock, SystemClock},
    platform::{MaybeSend, MaybeSync},
};

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

impl<A, L> Registry<A, L> {
    /// The jobs together with the application that provides their parameters.
    #[must_use = "jobs run only once `run_until` is awaited"]
    pub fn with(&self, app: A) -> Jobs<A, L>
    where
        A: MaybeSend + MaybeSync,
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

impl<A: MaybeSend + MaybeSync, L> Jobs<A, L> {
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
