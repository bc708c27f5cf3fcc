//! Several replicas in one process, in virtual time.

use std::{
    cell::RefCell,
    fmt,
    rc::Rc,
    sync::Arc,
    thread,
    time::{Duration, Instant},
};

use super::{
    clock::VirtualClock,
    faults::FaultyLeases,
    replica::{Replica, State},
};
use crate::{
    clock::Clock as _,
    jobs::{Jobs, LeaseStore, ReadyToRun, Slot},
};

/// How long work outside of the replicas may take, in real time.
const PATIENCE: Duration = Duration::from_secs(10);

/// Replicas of an application in one process: each with a runtime and a clock of its own and its own connection to the store that they
/// share. A test moves the time and says what goes wrong where.
///
/// Only the thread of the test works, and only inside of the calls of this module, until every task waits: what happens at one instant
/// has happened when the call returns, replicas take turns in the order of their start, and no test sleeps. The test is a plain
/// function, `#[test]`: it has no `await`.
///
/// ```
/// use std::{convert::Infallible, sync::{Arc, Mutex}, time::Duration};
/// use steadfast::{JobClock, Provide, Slot, job, registry, testing::{MemoryLeases, Replicas, VirtualClock}};
///
/// type Mails = Arc<Mutex<Vec<Slot>>>;
///
/// #[job(name = "digest", cron = "*/10 * * * *", exclusive, timeout = "5m")]
/// async fn digest(slot: Slot, mails: &Mails, clock: &JobClock) -> Result<(), Infallible> {
///     clock.sleep(Duration::from_secs(30)).await;
///     mails.lock().unwrap().push(slot);
///     Ok(())
/// }
///
/// #[derive(Clone, Provide)]
/// struct App { mails: Mails }
///
/// registry! { static JOBS for App = [digest]; }
///
/// // in a test of yours: #[test]
/// fn a_holder_that_crashes_costs_its_slot_and_no_more() {
///     let minute = |minute| Slot::utc(2026, 1, 2, 3, minute).unwrap();
///     let time = VirtualClock::at(minute(9));
///     let app = App { mails: Mails::default() };
///
///     let replicas = Replicas::new(time.clone(), MemoryLeases::new(time));
///     let [one, two] = [app.clone(), app.clone()].map(|app| {
///         replicas.start(move |clock, leases| JOBS.with(app.clone()).clock(clock).leases(leases))
///     });
///     replicas.advance(Duration::from_secs(65));             // 03:10:05: the first one is at work
///     one.crash();
///     replicas.advance(Duration::from_mins(10));             // 03:20:05: its lease ran out at 03:16
///     two.pause();                                           // in the middle of the run of 03:20
///     one.restart();
///     replicas.advance(Duration::from_mins(10));             // 03:30:05: and the paused one's at 03:26
///     two.resume();                                          // its time is over: it takes no further step
///     replicas.advance(Duration::from_mins(1));
///     assert_eq!(*app.mails.lock().unwrap(), [minute(30)]);
/// }
/// # a_holder_that_crashes_costs_its_slot_and_no_more();
/// ```
///
/// # Stores and jobs with threads of their own
///
/// A question to the lease store is waited for, whoever answers it, in no virtual time; of several at one instant, any may be first.
/// Other work that wakes a task from outside (a query through sqlx, `spawn_blocking`, a socket) has to be told with
/// [`work_outside`](Self::work_outside), or time moves while it is going on. Waits of tokio's own timers are in real time, which
/// passes only while something is waited for.
///
/// # Fenced jobs
///
/// A unit with `fence = lease` looks for the row in its own database, so its job does not start on [`MemoryLeases`](super::MemoryLeases).
/// It takes the store of that database, whose clock is then a row that the test moves along with [`advance`](Self::advance):
/// `SqliteLeases::new(&pool).database_clock("(SELECT millis FROM its_clock)")`. A test of other jobs lists those in a registry of its own.
pub struct Replicas(Rc<Group>);

pub(super) struct Group {
    time: VirtualClock,
    store: Arc<dyn LeaseStore>,
    replicas: RefCell<Vec<Rc<RefCell<State>>>>,
    outside: RefCell<Vec<Box<dyn Fn() -> bool>>>,
}

impl Replicas {
    /// No replica yet. `time` is the true time, by which a store of the test's own judges; `store` is the one that all replicas share.
    ///
    /// # Panics
    /// Inside of a tokio runtime, such as that of `#[tokio::test]`.
    #[must_use]
    pub fn new(time: VirtualClock, store: impl LeaseStore) -> Self {
        assert!(
            tokio::runtime::Handle::try_current().is_err(),
            "replicas have runtimes of their own, which cannot be driven from inside of another; write a plain test, for example \
             `#[test] fn …`, and a runtime of its own for what it awaits"
        );
        Self(Rc::new(Group { time, store: Arc::new(store), replicas: RefCell::default(), outside: RefCell::default() }))
    }

    /// Starts a replica, whose clock shows the true time. `jobs` is called now and at each [`Replica::restart`], inside of the replica's
    /// runtime, with the machine's clock and its connection to the store; both belong to the jobs:
    /// `|clock, leases| JOBS.with(app.clone()).clock(clock).leases(leases)`.
    ///
    /// As a process does, it begins with the first slots after this minute. Whether it could start says [`Replica::is_up`]. Replicas need
    /// not have one registry: a deploy is a start with another.
    ///
    /// # Panics
    /// As `jobs` does, or when the system has no room for a runtime.
    pub fn start<A, L>(&self, jobs: impl Fn(VirtualClock, FaultyLeases) -> Jobs<A, L> + 'static) -> Replica
    where
        A: Send + Sync + 'static,
        L: ReadyToRun,
    {
        let now = self.0.time.now();
        let clock = VirtualClock::at(Slot::floor(now));
        clock.set_wall(now);
        let leases = FaultyLeases::to(Arc::clone(&self.0.store));
        let of = (clock.clone(), leases.clone());
        let start = Box::new(move |end| jobs(of.0.clone(), of.1.clone()).run_until(end).into_future());
        let (replica, state) = Replica::new(Rc::clone(&self.0), clock, leases, start);
        self.0.replicas.borrow_mut().push(state);
        replica.restart();
        replica
    }

    /// Time passes, for all clocks alike and from wait to wait, so that everything happens at its instant: a day takes as long as what
    /// is done in it. After each step the replicas work until everything waits.
    ///
    /// # Panics
    /// When work outside takes longer than 10 s of real time, when the runner itself panics, or when a wall clock would leave what the
    /// platform's `SystemTime` holds. A job that never waits never returns.
    pub fn advance(&self, by: Duration) {
        let mut left = by;
        self.0.settle();
        while left > Duration::ZERO {
            let step = self.0.until_next_wait().map_or(left, |next| next.min(left));
            self.0.time.advance(step);
            for replica in &*self.0.replicas.borrow() {
                replica.borrow().advance(step);
            }
            self.0.settle();
            left -= step;
        }
    }

    /// Works until every task waits, in no time: after a test has changed something that jobs wait for, as
    /// [`FaultyLeases::let_go`] does. All other calls do it by themselves.
    ///
    /// # Panics
    /// As [`advance`](Self::advance).
    pub fn settle(&self) {
        self.0.settle();
    }

    /// Time stands still while `going_on` is true and no task has anything to do: it says whether the application's work outside of the
    /// replicas' runtimes is going on. A pool of sqlx knows, where no job holds a connection while it waits for the clock. (One that the
    /// test itself has used takes its connections back in a task of the test's runtime: let that one run before.)
    ///
    #[cfg_attr(feature = "sqlite", doc = "```")]
    #[cfg_attr(not(feature = "sqlite"), doc = "```ignore")]
    /// # use steadfast::testing::Replicas;
    /// # fn test(replicas: &Replicas, db: &sqlx::SqlitePool) {
    /// let pool = db.clone();
    /// replicas.work_outside(move || pool.num_idle() < pool.size() as usize);
    /// # }
    /// ```
    pub fn work_outside(&self, going_on: impl Fn() -> bool + 'static) {
        self.0.outside.borrow_mut().push(Box::new(going_on));
    }

    /// The true time.
    #[must_use]
    pub fn clock(&self) -> VirtualClock {
        self.0.time.clone()
    }
}

impl Group {
    pub(super) fn settle(&self) {
        let replicas = self.replicas.borrow();
        let work = |looking| replicas.iter().fold(false, |worked, replica| replica.borrow().work(looking) | worked);
        let mut begun = None;
        loop {
            while work(false) {}
            if !self.is_outside() {
                return replicas.iter().for_each(|replica| replica.borrow_mut().reap());
            }
            let begun = *begun.get_or_insert_with(Instant::now);
            assert!(
                begun.elapsed() < PATIENCE,
                "work outside of the replicas goes on for more than {PATIENCE:?}; end it, or do not count what a paused replica holds"
            );
            // Others answer, on their threads; a socket's answer is seen by looking.
            thread::yield_now();
            work(true);
        }
    }

    fn is_outside(&self) -> bool {
        self.replicas.borrow().iter().any(|replica| replica.borrow().asks())
            || self.outside.borrow().iter().any(|going_on| going_on())
    }

    fn until_next_wait(&self) -> Option<Duration> {
        let replicas = self.replicas.borrow();
        let waits = replicas.iter().filter_map(|replica| replica.borrow().until_next_wait());
        waits.chain(self.time.until_next_wait()).min()
    }
}

impl fmt::Debug for Replicas {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let replicas = self.0.replicas.borrow().len();
        f.debug_struct("Replicas").field("time", &self.0.time).field("replicas", &replicas).finish_non_exhaustive()
    }
}
