//! What comes of an action.

use super::{
    model::{Action, HEARTBEAT_LEASE, Leases},
    protocol::TOLERANCE,
    scenario::Flaw,
    state::{Ledger, Phase, Renewal, Run, State, Statement, Unit},
};

impl Leases {
    /// The write of a claim arrives. Whether it won.
    pub(super) fn claim(&self, state: &mut State, claim: Statement) -> bool {
        let database = self.millis(state.t);
        let lost = self.store.claim(&mut state.row, claim, database);
        let ledger = &mut state.ledger;
        let (run, slot) = (claim.run.bit(), 1 << claim.run.slot);
        if lost.is_none() {
            let again = ledger.granted & run != 0;
            ledger.twice |= ledger.taken & slot != 0 && !again;
            ledger.void = (ledger.void | ledger.granted) & !run;
            ledger.granted |= run;
            ledger.taken |= slot;
        } else {
            refused(ledger, claim, database);
        }
        lost.is_none()
    }

    fn renew(&self, state: &mut State, run: Run, now: i32) -> bool {
        let claim = Statement { run, now, lease: HEARTBEAT_LEASE };
        self.store.renew(&mut state.row, claim, self.millis(state.t))
    }

    pub(super) fn tick(state: &mut State) {
        state.t += 1;
        for replica in &mut state.replicas {
            // Its own timer drops a run that is awake; the lease is left to run out.
            if matches!(replica.phase, Phase::Running { ends, .. } if state.t > ends && !replica.paused) {
                replica.phase = Phase::Idle;
            }
        }
    }

    /// A step of a claim.
    pub(super) fn claiming(&self, state: &mut State, i: usize, action: Action) {
        let replica = state.replicas[i];
        let phase = match (action, replica.phase) {
            (Action::Fire(_), _) => {
                let Some(slot) = self.due(state, &replica) else { return };
                state.runs += 1;
                state.replicas[i].seen = slot + 1;
                Phase::Asking(Run { id: state.runs, slot })
            }
            (Action::Read(_), Phase::Asking(run)) => {
                let statement = Statement { run, now: self.now(state, &replica), lease: self.lease(replica.deployed) };
                let database = self.millis(state.t);
                if self.store.decide(state.row, statement, database, true).is_none() {
                    Phase::Writing { statement, asked: state.t }
                } else {
                    refused(&mut state.ledger, statement, database);
                    Phase::Idle
                }
            }
            (Action::Write(_), Phase::Writing { statement, asked }) => {
                if self.claim(state, statement) {
                    Phase::Won { run: statement.run, ends: asked + self.life(replica.deployed) }
                } else {
                    Phase::Idle
                }
            }
            (Action::WriteAnswerLost(_), Phase::Writing { statement, .. }) => {
                state.faults += 1;
                self.claim(state, statement);
                Phase::Asking(statement.run)
            }
            (Action::WriteComesLate(_), Phase::Writing { statement, .. }) => {
                state.faults += 1;
                state.replicas[i].late = Some(statement);
                Phase::Asking(statement.run)
            }
            (Action::Start(_), Phase::Won { run, ends }) => {
                let late = self.store.has(Flaw::TimeoutFromTheStart);
                let ends = if late { state.t + self.life(replica.deployed) } else { ends };
                if state.t > ends {
                    Phase::Idle
                } else {
                    Phase::Running { run, ends, units: 0, renewal: Renewal::None }
                }
            }
            _ => Phase::Idle,
        };
        state.replicas[i].phase = phase;
    }

    /// A step of a unit, as the database takes it.
    pub(super) fn unit(&self, state: &mut State, i: usize, action: Action) {
        let Some(unit) = state.replicas[i].unit else { return };
        state.replicas[i].unit = None;
        match action {
            Action::Fence(_) => {
                let open = self.store.fence(state.row, unit.run, self.millis(state.t));
                if open {
                    let locks = !self.store.has(Flaw::FenceWithoutLock);
                    state.replicas[i].unit = Some(Unit { fenced: true, locks, ..unit });
                } else if matches!(state.replicas[i].phase, Phase::Running { run, .. } if run == unit.run) {
                    // `LeaseLost`: the job returns its error, and its runner releases.
                    state.replicas[i].paused = false;
                    state.replicas[i].phase = Phase::Ending { run: unit.run, hand_back: false, stops: false };
                }
            }
            Action::Commit(_) => {
                let (slot, ledger) = (unit.run.slot + 1, &mut state.ledger);
                ledger.stale |= ledger.void & unit.run.bit() != 0;
                let again = slot == ledger.top && ledger.top_run != unit.run.id;
                let back = ledger.top > 0 && ledger.back & (1 << (ledger.top - 1)) != 0;
                ledger.disorder |= slot < ledger.top || again && !back;
                ledger.top = slot;
                ledger.top_run = unit.run.id;
            }
            _ => {}
        }
    }

    /// A step of a run, and of the renewal beside it.
    pub(super) fn running(&self, state: &mut State, i: usize, action: Action) {
        let Phase::Running { run, ends, units, renewal } = state.replicas[i].phase else { return };
        let now = self.now(state, &state.replicas[i]);
        let life = self.life(state.replicas[i].deployed);
        let running = |ends, units, renewal| Phase::Running { run, ends, units, renewal };
        let unless_expired = |ends, renewal| if state.t > ends { Phase::Idle } else { running(ends, units, renewal) };
        let phase = match (action, renewal) {
            (Action::SendUnit(_), _) => {
                state.replicas[i].unit = Some(Unit { run, fenced: false, locks: false });
                running(ends, units + 1, renewal)
            }
            (Action::Finish(_), _) => Phase::Ending { run, hand_back: false, stops: false },
            (Action::Pause(_), _) => {
                state.faults += 1;
                state.replicas[i].paused = true;
                return;
            }
            (Action::Resume(_), _) => {
                let phase = unless_expired(ends, renewal);
                state.replicas[i].paused = false;
                phase
            }
            // A future is polled before the timer beside it: one more step of the work.
            (Action::ResumeAndSendUnit(_), _) => {
                state.replicas[i].paused = false;
                state.replicas[i].unit = Some(Unit { run, fenced: false, locks: false });
                Phase::Idle
            }
            // The same, where the next step was a renewal that is answered at once.
            (Action::ResumeAndRenew(_), _) => {
                state.replicas[i].paused = false;
                let (t, renewed) = (state.t, self.renew(state, run, now));
                if renewed { running(t + life, units, Renewal::None) } else { Phase::Idle }
            }
            (Action::SendRenewal(_), _) => running(ends, units, Renewal::Sent { at: state.t, now }),
            (Action::Renew(_), Renewal::Sent { at, now }) => {
                running(ends, units, Renewal::Answered { at, granted: self.renew(state, run, now) })
            }
            (Action::RenewalAnswered(_), Renewal::Answered { at, granted }) => {
                let late = self.store.has(Flaw::PatienceFromTheAnswer);
                let phase = if granted {
                    unless_expired(if late { state.t } else { at } + life, Renewal::None)
                } else {
                    Phase::Idle
                };
                state.replicas[i].paused = false;
                phase
            }
            _ => return,
        };
        state.replicas[i].phase = phase;
    }

    /// A process ends, or begins.
    pub(super) fn process(&self, state: &mut State, i: usize, action: Action) {
        let hand_back = self.scenario.hand_back;
        let replica = &mut state.replicas[i];
        if let Phase::Writing { statement, .. } = replica.phase {
            replica.late = Some(statement);
        }
        replica.phase = match (action, replica.phase) {
            (Action::End(_), Phase::Ending { run, hand_back, stops }) => {
                if hand_back {
                    if self.store.hand_back(&mut state.row, run) {
                        state.ledger.void |= run.bit();
                        state.ledger.taken &= !(1 << run.slot);
                        state.ledger.back |= 1 << run.slot;
                    }
                } else {
                    self.store.release(&mut state.row, run);
                }
                if stops { Phase::Down } else { Phase::Idle }
            }
            (
                Action::Shutdown(_),
                Phase::Asking(run)
                | Phase::Writing { statement: Statement { run, .. }, .. }
                | Phase::Won { run, .. }
                | Phase::Running { run, .. },
            ) => Phase::Ending { run, hand_back, stops: true },
            (Action::Boot(_) | Action::BootOtherRelease(_), _) => {
                replica.deployed |= matches!(action, Action::BootOtherRelease(_));
                // Also what fell due before: it may be fired from outside, or caught up.
                replica.seen = 0;
                Phase::Idle
            }
            (Action::Shutdown(_) | Action::Crash(_), _) => Phase::Down,
            (_, phase) => phase,
        };
        if matches!(action, Action::Shutdown(_) | Action::Crash(_)) {
            replica.paused = false;
            state.faults += 1;
        }
    }
}

/// The claim of a run that has its slot was refused, by a clock that is right: its answer was lost, and the slot with it.
fn refused(ledger: &mut Ledger, claim: Statement, database: i32) {
    let has = ledger.granted & !ledger.void & claim.run.bit() != 0;
    ledger.lost |= has && i64::from((database - claim.now).abs()) <= TOLERANCE;
}
