//! One replica: a process that can be stopped, killed and started again, and the machine below it, which goes on.

use std::{cell::RefCell, fmt, rc::Rc, time::Duration};

use super::{
    clock::VirtualClock,
    faults::FaultyLeases,
    process::{Process, Start},
    replicas::Group,
};
use crate::{clock::Clock as _, jobs::StartError};

/// A replica of the application, made by [`Replicas::start`](super::Replicas::start). Clones are the same replica.
///
/// Its clock and its connection to the store are the machine's: they outlive the process.
///
/// ```
/// use std::time::Duration;
/// use steadfast::{Slot, clock::Clock, testing::{Fault, MemoryLeases, Question, Replicas, VirtualClock}};
/// # use steadfast::{Registry, jobs::NoLeases};
/// # struct App;
/// # static JOBS: Registry<App, NoLeases> = Registry::new(&[]);
///
/// let time = VirtualClock::at(Slot::utc(2026, 1, 2, 3, 0).unwrap());
/// let replicas = Replicas::new(time.clone(), MemoryLeases::new(time));
/// let one = replicas.start(|clock, leases| JOBS.with(App).clock(clock).leases(leases));
///
/// one.clock().set_wall(replicas.clock().now() - Duration::from_secs(20));    // a clock that is behind
/// one.leases().next(Question::Claim, Fault::AnswerLost);                     // a lost acknowledgement
/// one.pause();                                                               // a process that is stopped …
/// replicas.advance(Duration::from_mins(7));
/// one.resume();                                                              // … past its leases
/// one.shut_down();                                                           // a deploy
/// replicas.advance(Duration::from_secs(30));
/// assert!(!one.is_up());
/// one.restart();
/// one.crash();
/// ```
#[derive(Clone)]
pub struct Replica {
    group: Rc<Group>,
    state: Rc<RefCell<State>>,
}

pub(super) struct State {
    clock: VirtualClock,
    leases: FaultyLeases,
    start: Start,
    /// `None`: crashed, ended, or not begun.
    process: Option<Process>,
    at_work: AtWork,
    failed: Option<StartError>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum AtWork {
    Yes,
    /// The process is stopped; its clocks go on.
    Paused,
    /// The machine is asleep: its wall clock alone goes on.
    Suspended,
}

impl Replica {
    pub(super) fn new(
        group: Rc<Group>,
        clock: VirtualClock,
        leases: FaultyLeases,
        start: Start,
    ) -> (Self, Rc<RefCell<State>>) {
        let state = State { clock, leases, start, process: None, at_work: AtWork::Yes, failed: None };
        let state = Rc::new(RefCell::new(state));
        (Self { group, state: Rc::clone(&state) }, state)
    }

    /// The machine's clock, to set it: `replica.clock().set_wall(…)` is NTP's step. [`Replicas::advance`](super::Replicas::advance)
    /// moves it from wherever it stands.
    #[must_use]
    pub fn clock(&self) -> VirtualClock {
        self.state.borrow().clock.clone()
    }

    /// The machine's connection to the store, to break it.
    #[must_use]
    pub fn leases(&self) -> FaultyLeases {
        self.state.borrow().leases.clone()
    }

    /// Is there a process? A paused one is there; one that crashed, ended or could not start is not.
    #[must_use]
    pub fn is_up(&self) -> bool {
        self.state.borrow().process.is_some()
    }

    /// Stops the process in the middle of what it does, as SIGSTOP and a long pause of the machine below a virtual one do. Time goes on:
    /// waits that end meanwhile are over when it goes on.
    ///
    /// # Panics
    /// When there is no process.
    pub fn pause(&self) {
        self.set(AtWork::Paused, "paused");
    }

    /// Puts the machine to sleep: nothing runs, and its waits stand still. Its wall clock is right again when it wakes.
    ///
    /// # Panics
    /// When there is no process.
    pub fn suspend(&self) {
        self.set(AtWork::Suspended, "suspended");
    }

    /// Goes on after a [`pause`](Self::pause) or a [`suspend`](Self::suspend), and works until everything waits.
    ///
    /// # Panics
    /// When there is no process.
    pub fn resume(&self) {
        self.set(AtWork::Yes, "resumed");
        self.group.settle();
    }

    /// Kills the process: nothing is released. It is nothing when there is none.
    ///
    /// What its tasks hold is dropped, and destructors run; those of a real process would not.
    pub fn crash(&self) {
        let mut state = self.state.borrow_mut();
        state.at_work = AtWork::Yes;
        let process = state.process.take();
        // Dropped outside of the borrow: what a job holds may do anything.
        drop(state);
        drop(process);
    }

    /// Asks the process to stop, as SIGTERM does. It drains while time passes, for at most the grace that `Jobs::grace` says, and a
    /// paused one when it goes on; then [`is_up`](Self::is_up) is false.
    ///
    /// # Panics
    /// When there is no process.
    pub fn shut_down(&self) {
        match &mut self.state.borrow_mut().process {
            Some(process) => process.stop(),
            None => {
                panic!("a replica that is not up cannot be shut down; start it first, for example `replica.restart()`")
            }
        }
        self.group.settle();
    }

    /// Starts the process anew, with jobs made anew; one that is there is killed before. Whether it could start says
    /// [`is_up`](Self::is_up).
    ///
    /// # Panics
    /// As the function that makes the jobs does, or when the system has no room for a runtime.
    pub fn restart(&self) {
        self.crash();
        {
            let state = &mut *self.state.borrow_mut();
            state.failed = None;
            state.process = Some(Process::start(&state.start));
        }
        self.group.settle();
    }

    /// Why the last start failed, if it did; the first call takes it.
    #[must_use]
    pub fn take_start_error(&self) -> Option<StartError> {
        self.state.borrow_mut().failed.take()
    }

    fn set(&self, at_work: AtWork, what: &str) {
        let mut state = self.state.borrow_mut();
        assert!(
            state.process.is_some(),
            "a replica that is not up cannot be {what}; start it first, for example `replica.restart()`"
        );
        state.at_work = at_work;
    }
}

impl fmt::Debug for Replica {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let state = self.state.borrow();
        f.debug_struct("Replica")
            .field("up", &state.process.is_some())
            .field("clock", &state.clock)
            .finish_non_exhaustive()
    }
}

impl State {
    /// Works until everything waits, if there is something to do or `looking` for what only the system knows of.
    pub(super) fn work(&self, looking: bool) -> bool {
        let Some(process) = self.process.as_ref().filter(|_| self.at_work == AtWork::Yes) else { return false };
        let working = process.has_work();
        if working || looking {
            process.work();
        }
        working
    }

    /// Notices that the process has ended. Only once nothing goes on outside: what its jobs have given back, as a connection to a
    /// pool, may still be on its way.
    pub(super) fn reap(&mut self) {
        if let Some(ended) = self.process.as_mut().and_then(Process::ended) {
            self.process = None;
            self.failed = ended.err();
        }
    }

    /// Is it waiting for the store's answer, one that comes by itself?
    pub(super) fn asks(&self) -> bool {
        self.process.is_some() && self.at_work == AtWork::Yes && self.leases.is_unanswered()
    }

    /// How long until one of its waits is over, if it would notice.
    pub(super) fn until_next_wait(&self) -> Option<Duration> {
        self.process.as_ref().filter(|_| self.at_work == AtWork::Yes).and_then(|_| self.clock.until_next_wait())
    }

    pub(super) fn advance(&self, by: Duration) {
        match self.at_work {
            AtWork::Suspended => self.clock.set_wall(self.clock.now() + by),
            AtWork::Yes | AtWork::Paused => self.clock.advance(by),
        }
    }
}
