//! What the model knows: the row, the replicas, and a ledger that no replica can read.

/// The row of the job; times in milliseconds since the model's beginning. Holder 0 is nobody.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Row {
    pub(crate) last: i32,
    pub(crate) until: Option<i32>,
    pub(crate) lease: i32,
    pub(crate) holder: u8,
    pub(crate) prev: Option<i32>,
}

/// A run: its identifier, and the slot it was fired for, counted in slots.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Run {
    pub(crate) id: u8,
    pub(crate) slot: u8,
}

impl Run {
    pub(crate) fn bit(self) -> u16 {
        1 << self.id
    }
}

/// The write of a claim, as it is on its way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Statement {
    pub(crate) run: Run,
    pub(crate) now: i32,
    pub(crate) lease: i32,
}

/// A fenced unit's transaction. It lives in the database, so it survives its process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Unit {
    pub(crate) run: Run,
    /// Whether the fence was passed.
    pub(crate) fenced: bool,
    /// Whether it holds the row's lock, as it does from then on.
    pub(crate) locks: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Renewal {
    None,
    Sent { at: u8, now: i32 },
    Answered { at: u8, granted: bool },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Phase {
    Down,
    Idle,
    /// A claim is to be sent, for the first time or again.
    Asking(Run),
    /// The read said yes at tick `asked`; the write is on its way.
    Writing {
        statement: Statement,
        asked: u8,
    },
    /// The write was acknowledged. `ends`: the last tick at which the run may be alive.
    Won {
        run: Run,
        ends: u8,
    },
    Running {
        run: Run,
        ends: u8,
        units: u8,
        renewal: Renewal,
    },
    /// The run is over; its release, or its hand-back, is to be sent.
    Ending {
        run: Run,
        hand_back: bool,
        stops: bool,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Replica {
    pub(crate) phase: Phase,
    /// By how much its wall clock is ahead, in milliseconds.
    pub(crate) ahead: i32,
    /// Whether it runs the release with the other timeout.
    pub(crate) deployed: bool,
    /// How many slots it has fired, so that a timer that is early fires none twice.
    pub(crate) seen: u8,
    pub(crate) paused: bool,
    /// A claim that nobody waits for any more, and that the database may still carry out.
    pub(crate) late: Option<Statement>,
    pub(crate) unit: Option<Unit>,
}

/// What is true, whatever the row says: the properties are about this.
#[allow(clippy::struct_excessive_bools)] // one for each property
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Ledger {
    /// Runs that a claim was granted to.
    pub(crate) granted: u16,
    /// Runs that were superseded, or have handed their slot back, and were not granted it anew.
    pub(crate) void: u16,
    /// Slots that were given to a run and not handed back.
    pub(crate) taken: u16,
    /// Slots that were handed back at least once.
    pub(crate) back: u16,
    /// The highest slot with a committed write, counted from 1, and who wrote last.
    pub(crate) top: u8,
    pub(crate) top_run: u8,
    /// What must never be; see `properties`.
    pub(crate) stale: bool,
    pub(crate) disorder: bool,
    pub(crate) twice: bool,
    pub(crate) lost: bool,
}

pub(crate) const REPLICAS: usize = 3;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct State {
    /// True time, which is the database's, in ticks.
    pub(crate) t: u8,
    pub(crate) row: Option<Row>,
    pub(crate) replicas: [Replica; REPLICAS],
    /// Runs so far; also the identifier of the last one.
    pub(crate) runs: u8,
    pub(crate) faults: u8,
    pub(crate) ledger: Ledger,
}

impl State {
    /// Is the row locked? Then every write of it waits.
    pub(crate) fn locked(&self) -> bool {
        self.replicas.iter().any(|replica| replica.unit.is_some_and(|unit| unit.locks))
    }

    /// Runs that are at work and entitled to it by their own clocks' measure.
    pub(crate) fn live(&self) -> usize {
        let live = |replica: &&Replica| matches!(replica.phase, Phase::Running { ends, .. } if self.t <= ends);
        self.replicas.iter().filter(live).count()
    }
}
