//! How far the model is explored, and what is broken in it on purpose.

/// One thing that the protocol could have done differently. Each has a mutant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Flaw {
    /// The seeds' clause: a lease that ends later than twice the reader's own lease is a lie.
    FarFutureByTheReader,
    NoClockGuard,
    /// 40 s of a margin of 60 s.
    WideTolerance,
    GuardOnlyAtTheRead,
    BlindWrite,
    NoLastSlotClause,
    /// A slot is claimed however far it is ahead.
    NoEarlyClause,
    SameSlotAgain,
    NoSameRunClause,
    NothingIsALie,
    FenceOnHolderOnly,
    FenceOnSlotOnly,
    FenceOnExpiryOnly,
    FenceWithoutLock,
    UnguardedRelease,
    UnguardedHandBack,
    HandBackKeepsTheHolder,
    HandBackToTheSlotBefore,
    RenewalByAnyone,
    TimeoutFromTheStart,
    PatienceFromTheAnswer,
}

/// The size of an exploration.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scenario {
    pub(crate) name: &'static str,
    pub(crate) replicas: usize,
    /// In milliseconds.
    pub(crate) tick: i32,
    /// Between slots, in ticks.
    pub(crate) gap: u8,
    pub(crate) horizon: u8,
    /// Of the release at the start and of the one deployed later, in ticks.
    pub(crate) timeouts: [u8; 2],
    /// What a clock may be ahead by at the start, and what it may jump to, in milliseconds.
    pub(crate) clocks: &'static [i32],
    pub(crate) jumps: &'static [i32],
    pub(crate) faults: u8,
    pub(crate) runs: u8,
    /// Fenced units per run.
    pub(crate) units: u8,
    pub(crate) hand_back: bool,
    pub(crate) heartbeat: bool,
    /// Begin also with rows that a database's clock has poisoned.
    pub(crate) poisoned: bool,
    /// What cannot happen in it: see the properties that say "somewhere".
    pub(crate) never: &'static [&'static str],
}
