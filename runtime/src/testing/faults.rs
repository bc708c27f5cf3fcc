//! Faults between a replica and its lease store, as a test tells them.

use std::{
    collections::VecDeque,
    fmt,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
};

use tokio::sync::watch;

use crate::{
    jobs::{LeaseError, LeaseErrorKind, LeaseStore},
    platform::BoxFuture,
};

/// What a lease store is asked: a method of [`LeaseStore`]. For [`FaultyLeases::next`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Question {
    /// [`LeaseStore::check`], once at the start.
    Check,
    /// [`LeaseStore::claim`].
    Claim,
    /// [`LeaseStore::holds`]: `lease.check()` of a job.
    Holds,
    /// [`LeaseStore::renew`]: the heartbeat.
    Renew,
    /// [`LeaseStore::release`].
    Release,
    /// [`LeaseStore::hand_back`].
    HandBack,
    /// [`LeaseStore::pause`].
    Pause,
    /// [`LeaseStore::resume`].
    Resume,
    /// [`LeaseStore::row`]: `catch_up`, a slot that may be handed back, and what is told of a holder or a pause.
    Row,
}

/// What happens to one question. For [`FaultyLeases::next`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Fault {
    /// It never arrives: nothing is applied, and who asked is told that the connection was lost.
    QuestionLost,
    /// It is applied, and who asked is told that the connection was lost: the lost acknowledgement.
    AnswerLost,
    /// It is on its way until [`FaultyLeases::let_go`]. Who stops waiting takes it along: it does not arrive then.
    QuestionHeld,
    /// It is applied, and its answer is on its way until [`FaultyLeases::let_go`].
    AnswerHeld,
}

/// A lease store whose connection fails when a test says so. Clones share it: the test keeps one, the jobs get another.
///
/// It stands for the connection of one replica, so each replica has its own around clones of one store;
/// [`Replicas`](super::Replicas) makes them.
///
/// ```
/// use steadfast::{LeaseStore, Slot, testing::{Fault, FaultyLeases, MemoryLeases, Question, VirtualClock}};
/// use steadfast::jobs::{Claim, LEASE_MARGIN, LeaseErrorKind, RunId};
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// let slot = Slot::utc(2026, 1, 2, 3, 0).unwrap();
/// let clock = VirtualClock::at(slot);
/// let leases = FaultyLeases::new(MemoryLeases::new(clock.clone()));
///
/// leases.next(Question::Claim, Fault::AnswerLost);
/// let run = RunId::random();
/// let claim = Claim::new("digest", slot, LEASE_MARGIN, &run, &clock);
/// assert_eq!(leases.claim(&claim).await.unwrap_err().kind(), LeaseErrorKind::ConnectionLost);
/// assert!(leases.claim(&claim).await.unwrap().is_won());              // it was applied: the same run asks again, and has it
///
/// leases.down();
/// assert!(leases.claim(&claim).await.is_err());
/// leases.up();
/// assert_eq!(leases.asked(Question::Claim), 3);
/// # });
/// ```
#[derive(Clone)]
pub struct FaultyLeases(Arc<Link>);

struct Link {
    store: Arc<dyn LeaseStore>,
    plan: Mutex<Plan>,
    /// Counts the calls of `let_go`: who is held waits for the next one.
    gate: watch::Sender<u64>,
    /// Questions that the store has and has not answered.
    unanswered: AtomicUsize,
    held: AtomicUsize,
}

#[derive(Default)]
struct Plan {
    down: bool,
    faults: VecDeque<(Question, Fault)>,
    asked: [usize; 9],
}

impl FaultyLeases {
    /// A connection to `store` without a fault so far.
    #[must_use]
    pub fn new(store: impl LeaseStore) -> Self {
        Self::to(Arc::new(store))
    }

    pub(super) fn to(store: Arc<dyn LeaseStore>) -> Self {
        Self(Arc::new(Link {
            store,
            plan: Mutex::default(),
            gate: watch::Sender::new(0),
            unanswered: AtomicUsize::new(0),
            held: AtomicUsize::new(0),
        }))
    }

    /// The next such question meets this fault, once. Said twice, the next two do, in that order.
    pub fn next(&self, question: Question, fault: Fault) {
        self.plan().faults.push_back((question, fault));
    }

    /// Forgets the faults that no question has met. What is held stays held.
    pub fn forget(&self) {
        self.plan().faults.clear();
    }

    /// From now on no question arrives, until [`up`](Self::up): each fails at once with
    /// [`LeaseErrorKind::ConnectionLost`], and no fault of [`next`](Self::next) is used up by it.
    pub fn down(&self) {
        self.plan().down = true;
    }

    /// The store can be reached again.
    pub fn up(&self) {
        self.plan().down = false;
    }

    /// Questions and answers that are held go on, as soon as their replica is at work.
    pub fn let_go(&self) {
        self.0.gate.send_modify(|times| *times += 1);
    }

    /// How many questions and answers are held.
    #[must_use]
    pub fn held(&self) -> usize {
        self.0.held.load(Ordering::Relaxed)
    }

    /// How often this was asked so far, whether or not it arrived.
    #[must_use]
    pub fn asked(&self, question: Question) -> usize {
        self.plan().asked[question as usize]
    }

    /// Is the store at work on a question? Not on what is held: that goes on when the test says so.
    pub(super) fn is_unanswered(&self) -> bool {
        self.0.unanswered.load(Ordering::Relaxed) > 0
    }

    pub(super) fn store(&self) -> &dyn LeaseStore {
        &*self.0.store
    }

    /// Puts a question, with the fault that is due.
    pub(super) async fn put<'a, T>(
        &'a self,
        question: Question,
        ask: impl FnOnce() -> BoxFuture<'a, Result<T, LeaseError>>,
    ) -> Result<T, LeaseError> {
        let fault = self.due(question)?;
        match fault {
            Some(Fault::QuestionLost) => return Err(lost()),
            Some(Fault::QuestionHeld) => self.until_let_go().await,
            _ => {}
        }
        let answer = {
            let _asking = Counted::one(&self.0.unanswered);
            ask().await
        };
        match fault {
            Some(Fault::AnswerLost) => return Err(lost()),
            Some(Fault::AnswerHeld) => self.until_let_go().await,
            _ => {}
        }
        answer
    }

    fn due(&self, question: Question) -> Result<Option<Fault>, LeaseError> {
        let mut plan = self.plan();
        plan.asked[question as usize] += 1;
        if plan.down {
            return Err(lost());
        }
        let due = plan.faults.iter().position(|(asked, _)| *asked == question);
        Ok(due.and_then(|at| plan.faults.remove(at)).map(|(_, fault)| fault))
    }

    async fn until_let_go(&self) {
        let _held = Counted::one(&self.0.held);
        // The sender is in `self`: it outlives the wait.
        let _let_go = self.0.gate.subscribe().changed().await;
    }

    fn plan(&self) -> MutexGuard<'_, Plan> {
        // Each change is one assignment, so a panic elsewhere leaves a whole plan.
        self.0.plan.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for FaultyLeases {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let plan = self.plan();
        f.debug_struct("FaultyLeases").field("down", &plan.down).field("faults", &plan.faults).finish_non_exhaustive()
    }
}

fn lost() -> LeaseError {
    LeaseError::new(LeaseErrorKind::ConnectionLost)
}

/// Counts one, however its wait ends.
struct Counted<'a>(&'a AtomicUsize);

impl<'a> Counted<'a> {
    fn one(count: &'a AtomicUsize) -> Self {
        count.fetch_add(1, Ordering::Relaxed);
        Self(count)
    }
}

impl Drop for Counted<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}
