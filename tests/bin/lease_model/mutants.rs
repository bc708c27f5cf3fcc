//! What is explored: the protocol as it is, and with one thing broken at a time.

use super::{
    properties::{AGAIN, BLOCKED, COMMITS, DISORDER, FENCED, LOST, OUTLIVES, OVERLAP, STALE, TWICE},
    scenario::{Flaw, Scenario},
};

/// Two replicas whose clocks differ by all that is tolerated; slots a minute apart; a timeout of 30 s, so a lease of 90 s.
pub(crate) const SMALL: Scenario = Scenario {
    name: "small",
    replicas: 2,
    tick: 30_000,
    gap: 2,
    horizon: 5,
    timeouts: [1, 1],
    clocks: &[-30_000, 0, 30_000],
    jumps: &[],
    faults: 1,
    runs: 2,
    units: 1,
    hand_back: true,
    heartbeat: false,
    poisoned: false,
    never: &[],
};

/// For a test.
#[cfg(test)]
pub(crate) const TINY: Scenario = Scenario { name: "tiny", horizon: 3, clocks: &[-30_000, 30_000], faults: 1, ..SMALL };

/// Clocks that jump, also far beyond the tolerance.
pub(crate) const JUMPS: Scenario = Scenario {
    name: "clocks that jump",
    clocks: &[0],
    jumps: &[-600_000, -40_000, -30_000, 30_000, 40_000, 600_000],
    faults: 2,
    ..SMALL
};

/// A release with a timeout of 30 s replaces one of 150 s.
pub(crate) const DEPLOY: Scenario =
    Scenario { name: "a deploy with a shorter timeout", timeouts: [5, 1], horizon: 4, faults: 2, ..SMALL };

/// The same the other way round.
pub(crate) const LONGER: Scenario = Scenario {
    name: "a deploy with a longer timeout",
    timeouts: [1, 3],
    horizon: 6,
    clocks: &[-30_000, 30_000],
    faults: 2,
    units: 0,
    ..SMALL
};

/// Three runs, so that a slot that was handed back meets its successors.
pub(crate) const HANDED_BACK: Scenario =
    Scenario { name: "slots handed back", clocks: &[0], runs: 3, faults: 2, horizon: 4, ..SMALL };

/// Three runs that follow one another while a release is on its way.
pub(crate) const SUCCESSORS: Scenario = Scenario {
    name: "three runs in a row",
    clocks: &[0, 30_000],
    runs: 3,
    faults: 0,
    horizon: 6,
    hand_back: false,
    ..SMALL
};

/// A third replica, which may be at work while two others are in each other's way.
pub(crate) const THREE: Scenario = Scenario {
    name: "three replicas",
    replicas: 3,
    clocks: &[0],
    runs: 3,
    faults: 1,
    horizon: 5,
    hand_back: false,
    ..SMALL
};

/// A lease of three minutes that is renewed.
pub(crate) const HEARTBEAT: Scenario =
    Scenario { name: "a heartbeat", heartbeat: true, horizon: 10, hand_back: false, faults: 1, clocks: &[0], ..SMALL };

pub(crate) const POISONED: Scenario =
    Scenario { name: "rows that a clock has poisoned", poisoned: true, clocks: &[0], ..SMALL };

/// Two clocks that differ by 80 s, of which the protocol accepts neither.
pub(crate) const WIDE: Scenario =
    Scenario { name: "clocks 80 s apart", tick: 20_000, gap: 3, horizon: 7, clocks: &[-40_000, 40_000], ..SMALL };

/// What the protocol as it is must stand.
pub(crate) const SCENARIOS: &[Scenario] = &[
    SMALL,
    JUMPS,
    DEPLOY,
    Scenario { never: &[COMMITS, FENCED], ..LONGER },
    HANDED_BACK,
    HEARTBEAT,
    POISONED,
    // Its replicas are neither paused nor do they lose an answer.
    Scenario { never: &[AGAIN, OUTLIVES], ..SUCCESSORS },
    THREE,
];

/// One way to break the protocol, and the property that must notice.
pub(crate) struct Mutant {
    pub(crate) name: &'static str,
    pub(crate) flaws: &'static [Flaw],
    pub(crate) scenario: Scenario,
    /// Any of these; nothing: another part of the protocol makes up for it.
    pub(crate) caught_by: &'static [&'static str],
    /// Caught soon enough for a test.
    #[cfg_attr(not(test), allow(dead_code))]
    pub(crate) quick: bool,
}

macro_rules! mutants {
    ($($name:literal: [$($flaw:ident),+] in $scenario:ident => [$($by:ident),*] $($quick:ident)?;)+) => {
        &[$(Mutant {
            name: $name,
            flaws: &[$(Flaw::$flaw),+],
            scenario: $scenario,
            caught_by: &[$($by),*],
            quick: <[&str]>::len(&[$(stringify!($quick))?]) == 1,
        }),+]
    };
}

pub(crate) const MUTANTS: &[Mutant] = mutants! {
    "the reader's lease judges the far future": [FarFutureByTheReader] in DEPLOY => [OVERLAP];
    "no clock guard": [NoClockGuard] in JUMPS => [OVERLAP, BLOCKED];
    "a tolerance of 40 s": [WideTolerance] in WIDE => [OVERLAP];
    "the guard is asked at the read alone": [GuardOnlyAtTheRead] in SMALL => [OVERLAP];
    "the write does not decide again": [BlindWrite] in SMALL => [OVERLAP, TWICE] quick;
    "no clause for the last slot": [NoLastSlotClause] in SMALL => [TWICE, DISORDER] quick;
    "a slot that is not yet may be claimed": [NoEarlyClause] in JUMPS => [BLOCKED];
    "the last slot may be claimed again": [SameSlotAgain] in SMALL => [TWICE, DISORDER];
    "the same run may not ask again": [NoSameRunClause] in SMALL => [LOST] quick;
    "nothing is a lie": [NothingIsALie] in POISONED => [BLOCKED] quick;
    "the fence asks for the slot alone": [FenceOnSlotOnly] in HANDED_BACK => [STALE];
    "the fence asks whether the lease has expired": [FenceOnExpiryOnly] in SMALL => [STALE];
    "the fence takes no lock": [FenceWithoutLock] in SMALL => [STALE] quick;
    "anyone releases": [UnguardedRelease] in SUCCESSORS => [OVERLAP];
    "anyone hands back": [UnguardedHandBack] in HANDED_BACK => [OVERLAP, TWICE];
    "anyone renews": [RenewalByAnyone] in HEARTBEAT => [OVERLAP];
    "the timeout counts from the start of the run": [TimeoutFromTheStart] in SMALL => [OVERLAP];
    "the patience counts from the renewal's answer": [PatienceFromTheAnswer] in HEARTBEAT => [OVERLAP];
    "a hand-back goes back to the slot before": [HandBackToTheSlotBefore] in HANDED_BACK => [DISORDER];
    "the fence asks for the holder alone, and a hand-back keeps it": [FenceOnHolderOnly, HandBackKeepsTheHolder] in HANDED_BACK => [STALE] quick;
    // Each of the two makes up for the other, which is why there are both.
    "the fence asks for the holder alone": [FenceOnHolderOnly] in HANDED_BACK => [];
    "a hand-back keeps the holder": [HandBackKeepsTheHolder] in HANDED_BACK => [];
};
