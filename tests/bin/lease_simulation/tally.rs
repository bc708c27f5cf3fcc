//! What the books come to.

use std::collections::BTreeMap;

/// What must never be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Wrong {
    /// A slot began again that was not handed back.
    DoubleStart,
    /// Two runs of a job were at work, and neither had been stopped for a while.
    TwoAtWork,
    /// A lease that had not run out and was not released was given to another run.
    LeaseStolen,
    /// A run began whose lease another one had by then, and it had not been stopped for a while.
    BegunTooLate,
    /// A fenced unit was committed twice in one slot that was not handed back.
    DoubleCommit,
    /// A fenced unit of a superseded or handed-back run was committed.
    StaleCommit,
    /// A fenced unit of a slot was committed after one of a later slot.
    EarlierCommit,
    /// A slot was refused as held after its holder had released.
    HeldByNobody,
    /// A slot was given out and not begun, and nothing had happened to its replica.
    NotBegun,
    /// A replica that nothing had happened to did not ask for a slot that nobody ran.
    NotAsked,
    /// A slot was refused because of a lease that its holder should have released.
    NotReleased,
    /// A run released that panicked or was timed out: its work may go on.
    ReleasedInDoubt,
    /// A slot that nobody had was refused as taken.
    TakenByNobody,
}

impl Wrong {
    pub(crate) const ALL: &[Self] = &[
        Self::DoubleStart,
        Self::TwoAtWork,
        Self::LeaseStolen,
        Self::BegunTooLate,
        Self::DoubleCommit,
        Self::StaleCommit,
        Self::EarlierCommit,
        Self::HeldByNobody,
        Self::NotBegun,
        Self::NotAsked,
        Self::NotReleased,
        Self::ReleasedInDoubt,
        Self::TakenByNobody,
    ];
}

/// Why nobody ran a slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Cause {
    /// A run of an earlier slot was at work.
    AtWork,
    /// The lease of an earlier run, which had met a fault, panicked or timed out, had to run out.
    LeaseRunsOut,
    /// It was given out, and its replica met a fault before the run began.
    GivenOutAndLost,
    /// Each replica had met a fault.
    NobodyUp,
    /// A replica whose clock is ahead had the next one, after this one had been held.
    Overtaken,
}

#[derive(Clone, Default)]
pub(crate) struct Tally {
    pub(crate) wrong: BTreeMap<Wrong, u64>,
    /// The first of them, in words.
    pub(crate) told: Vec<String>,
    pub(crate) slots: u64,
    pub(crate) begun: u64,
    pub(crate) not_run: BTreeMap<Cause, u64>,
    pub(crate) committed: u64,
    /// Units of superseded runs that the fence refused.
    pub(crate) refused: u64,
    /// Units whose run was cut off in the middle: their COMMIT may have been on its way.
    pub(crate) unheard: u64,
    pub(crate) handed_back: u64,
    /// Slots that began again after a hand-back.
    pub(crate) begun_again: u64,
    /// Runs that were at work beside another one, since one of the two had been stopped.
    pub(crate) outlived: u64,
    /// Slots for which a replica was there that nothing had happened to.
    pub(crate) clean: u64,
    /// Changes with everything that begins and commits, and when: two equal ones are one history.
    pub(crate) digest: u64,
}

impl Tally {
    pub(crate) fn is_clean(&self) -> bool {
        self.wrong.is_empty()
    }

    /// What should have happened, and did not: where nothing happens, nothing goes wrong.
    pub(crate) fn never(&self) -> Vec<&'static str> {
        let things = [
            (self.refused, "a superseded run meets the fence"),
            (self.outlived, "a run outlives its lease"),
            (self.handed_back, "a slot is handed back"),
            (self.begun_again, "a slot that was handed back begins again"),
            (self.begun.saturating_sub(self.slots / 2), "most slots are run"),
            (self.clean.saturating_sub(self.slots / 2), "most slots have a replica that nothing had happened to"),
        ];
        things.into_iter().filter(|(count, _)| *count == 0).map(|(_, what)| what).collect()
    }

    pub(crate) fn of(&self, wrong: Wrong) -> u64 {
        self.wrong.get(&wrong).copied().unwrap_or(0)
    }
}
