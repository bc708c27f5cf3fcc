//! The replicas' side: who may do what in a state, and what comes of it.
//!
//! Whatever takes time may take any time: each step of a replica is an action of its own, and the clock may tick before it. A pause is
//! an action only where a process that is awake would have been stopped by its own timer.

use stateright::{Model, Property};

use super::{
    properties,
    scenario::{Flaw, Scenario},
    state::{Ledger, Phase, REPLICAS, Renewal, Replica, Row, State},
    store::Store,
};

/// The lease is longer than the timeout by this, in milliseconds.
#[allow(clippy::cast_possible_truncation)] // a minute
const MARGIN: i32 = steadfast::jobs::LEASE_MARGIN.as_millis() as i32;
/// The lease of a job with a heartbeat, and how long it may go unrenewed.
pub(super) const HEARTBEAT_LEASE: i32 = 180_000;
const HEARTBEAT_PATIENCE: i32 = 120_000;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Action {
    Tick,
    Fire(usize),
    Read(usize),
    Write(usize),
    WriteAnswerLost(usize),
    WriteComesLate(usize),
    LateWrite(usize),
    GiveUp(usize),
    Start(usize),
    SendUnit(usize),
    Fence(usize),
    Commit(usize),
    Rollback(usize),
    Finish(usize),
    End(usize),
    Shutdown(usize),
    Crash(usize),
    Boot(usize),
    BootOtherRelease(usize),
    Pause(usize),
    Resume(usize),
    ResumeAndSendUnit(usize),
    ResumeAndRenew(usize),
    Jump(usize, i32),
    SendRenewal(usize),
    Renew(usize),
    RenewalAnswered(usize),
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Leases {
    pub(crate) scenario: Scenario,
    pub(crate) store: Store,
}

impl Leases {
    pub(crate) fn new(scenario: Scenario, flaws: &'static [Flaw]) -> Self {
        let store = Store { flaws, gap: i32::from(scenario.gap) * scenario.tick };
        Self { scenario, store }
    }

    pub(crate) fn millis(&self, t: u8) -> i32 {
        i32::from(t) * self.scenario.tick
    }

    /// The longest lease of all releases.
    pub(crate) fn longest_lease(&self) -> i32 {
        self.lease(false).max(self.lease(true))
    }

    pub(super) fn lease(&self, deployed: bool) -> i32 {
        if self.scenario.heartbeat {
            return HEARTBEAT_LEASE;
        }
        self.millis(self.scenario.timeouts[usize::from(deployed)]) + MARGIN
    }

    /// How many ticks a run lives on without a word from the database.
    pub(super) fn life(&self, deployed: bool) -> u8 {
        if self.scenario.heartbeat {
            return u8::try_from(HEARTBEAT_PATIENCE / self.scenario.tick).unwrap_or(u8::MAX);
        }
        self.scenario.timeouts[usize::from(deployed)]
    }

    pub(super) fn now(&self, state: &State, replica: &Replica) -> i32 {
        self.millis(state.t) + replica.ahead
    }

    /// The slot that is due by the replica's clock.
    pub(super) fn due(&self, state: &State, replica: &Replica) -> Option<u8> {
        let slot = u8::try_from(self.now(state, replica).div_euclid(self.store.gap)).ok()?;
        (slot >= replica.seen && slot < 16).then_some(slot)
    }

    fn actions_of(&self, state: &State, i: usize, actions: &mut Vec<Action>) {
        let Scenario { faults, units: most, heartbeat, .. } = self.scenario;
        let replica = &state.replicas[i];
        let (unlocked, faulty) = (!state.locked(), state.faults < faults);
        if unlocked && replica.late.is_some() {
            actions.push(Action::LateWrite(i));
        }
        if let Some(unit) = replica.unit {
            match unit.fenced {
                true => actions.push(Action::Commit(i)),
                false if unlocked => actions.push(Action::Fence(i)),
                false => {}
            }
            if !matches!(replica.phase, Phase::Running { run, .. } if run == unit.run) {
                actions.push(Action::Rollback(i));
            }
        }
        match replica.phase {
            Phase::Down => {
                actions.push(Action::Boot(i));
                if !replica.deployed && self.scenario.timeouts[0] != self.scenario.timeouts[1] {
                    actions.push(Action::BootOtherRelease(i));
                }
            }
            Phase::Idle => {
                if state.runs < self.scenario.runs && self.due(state, replica).is_some() {
                    actions.push(Action::Fire(i));
                }
            }
            Phase::Asking(run) => {
                actions.push(Action::Read(i));
                if state.ledger.granted & run.bit() != 0 {
                    actions.push(Action::GiveUp(i));
                }
            }
            Phase::Writing { .. } => {
                if unlocked {
                    actions.push(Action::Write(i));
                }
                if faulty {
                    actions.push(Action::WriteComesLate(i));
                    if unlocked {
                        actions.push(Action::WriteAnswerLost(i));
                    }
                }
            }
            Phase::Won { .. } => actions.push(Action::Start(i)),
            Phase::Running { ends, units, renewal, .. } => {
                let (free, expired) = (replica.unit.is_none() && units < most, state.t > ends);
                if unlocked && matches!(renewal, Renewal::Sent { .. }) {
                    actions.push(Action::Renew(i));
                }
                if matches!(renewal, Renewal::Answered { .. }) {
                    actions.push(Action::RenewalAnswered(i));
                }
                if replica.paused {
                    actions.push(Action::Resume(i));
                    if expired && free {
                        actions.push(Action::ResumeAndSendUnit(i));
                    }
                    if expired && heartbeat && unlocked && matches!(renewal, Renewal::None) {
                        actions.push(Action::ResumeAndRenew(i));
                    }
                } else {
                    if free {
                        actions.push(Action::SendUnit(i));
                    }
                    if replica.unit.is_none() {
                        actions.push(Action::Finish(i));
                    }
                    if heartbeat && matches!(renewal, Renewal::None) {
                        actions.push(Action::SendRenewal(i));
                    }
                    if faulty {
                        actions.push(Action::Pause(i));
                    }
                }
            }
            Phase::Ending { .. } => {
                if unlocked {
                    actions.push(Action::End(i));
                }
            }
        }
        if faulty {
            if replica.phase != Phase::Down {
                actions.push(Action::Crash(i));
            }
            if !replica.paused && !matches!(replica.phase, Phase::Down | Phase::Ending { .. }) {
                actions.push(Action::Shutdown(i));
            }
            let jumps = self.scenario.jumps.iter().filter(|to| **to != replica.ahead);
            actions.extend(jumps.map(|to| Action::Jump(i, *to)));
        }
    }
}

impl Model for Leases {
    type State = State;
    type Action = Action;

    fn init_states(&self) -> Vec<State> {
        let replica = |ahead, present| Replica {
            phase: if present { Phase::Idle } else { Phase::Down },
            ahead,
            deployed: false,
            seen: 0,
            paused: false,
            late: None,
            unit: None,
        };
        let clean = State {
            t: 0,
            row: None,
            replicas: [replica(0, true); REPLICAS],
            runs: 0,
            faults: 0,
            ledger: Ledger::default(),
        };
        let mut states = vec![clean];
        for i in 0..REPLICAS {
            let present = i < self.scenario.replicas;
            let clocks = if present { self.scenario.clocks } else { &[0] };
            let with = |state: &State, ahead: i32| {
                let mut state = *state;
                state.replicas[i] = replica(ahead, present);
                // Replicas are alike: each choice of clocks once.
                let sorted = i == 0 || !present || state.replicas[i - 1].ahead <= ahead;
                sorted.then_some(state)
            };
            states = states.iter().flat_map(|state| clocks.iter().filter_map(|ahead| with(state, *ahead))).collect();
        }
        if self.scenario.poisoned {
            let (day, lease) = (86_400_000, self.lease(false));
            let rows = [(10 * day, Some(10 * day + lease)), (-self.store.gap, Some(10 * day)), (day / 2, None)];
            let rows = rows.map(|(last, until)| Row { last, until, lease, holder: 15, prev: None });
            states = states.iter().flat_map(|state| rows.map(|row| State { row: Some(row), ..*state })).collect();
        }
        states
    }

    fn actions(&self, state: &State, actions: &mut Vec<Action>) {
        if state.t < self.scenario.horizon {
            actions.push(Action::Tick);
        }
        for i in 0..self.scenario.replicas {
            self.actions_of(state, i, actions);
        }
    }

    fn next_state(&self, last: &State, action: Action) -> Option<State> {
        use Action as A;
        let mut state = *last;
        match action {
            A::Tick => Self::tick(&mut state),
            A::Fire(i)
            | A::Read(i)
            | A::Write(i)
            | A::WriteAnswerLost(i)
            | A::WriteComesLate(i)
            | A::GiveUp(i)
            | A::Start(i) => self.claiming(&mut state, i, action),
            A::LateWrite(i) => {
                if let Some(claim) = state.replicas[i].late.take() {
                    self.claim(&mut state, claim);
                }
            }
            A::Fence(i) | A::Commit(i) | A::Rollback(i) => self.unit(&mut state, i, action),
            A::SendUnit(i)
            | A::Finish(i)
            | A::Pause(i)
            | A::Resume(i)
            | A::ResumeAndSendUnit(i)
            | A::ResumeAndRenew(i)
            | A::SendRenewal(i)
            | A::Renew(i)
            | A::RenewalAnswered(i) => {
                self.running(&mut state, i, action);
            }
            A::End(i) | A::Shutdown(i) | A::Crash(i) | A::Boot(i) | A::BootOtherRelease(i) => {
                self.process(&mut state, i, action);
            }
            A::Jump(i, to) => {
                state.faults += 1;
                state.replicas[i].ahead = to;
            }
        }
        (state != *last).then_some(state)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        properties::all()
    }
}
