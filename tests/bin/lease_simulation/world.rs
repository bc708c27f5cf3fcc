//! Five replicas, one store, and what happens to them, minute by minute.

use std::{
    cmp::Reverse,
    collections::{BTreeMap, BinaryHeap},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use steadfast::{
    Slot,
    clock::Clock as _,
    testing::{Fault, Question, Replica, Replicas, VirtualClock},
};

use crate::{
    database::Database,
    faults::{Kind, Planned, accepted, plan, stepped},
    jobs::{App, Coarse, Desk, RELEASES},
    ledger::{Ledger, millis},
    random::Random,
    seen::{Applied, Asked},
    tally::{Tally, Wrong},
};

const REPLICAS: usize = 5;
const MINUTE: i64 = 60_000;
/// The longer is what an application has that says nothing, the shorter cuts a run off while others still ask for its slot.
const GRACES: [Duration; 2] = [Duration::from_secs(25), Duration::from_secs(3)];
/// After so many minutes a slot's run has begun, or never will.
const CLOSED_AFTER: i64 = 40;

pub(crate) struct World {
    time: VirtualClock,
    replicas: Replicas,
    machines: Vec<Machine>,
    ledger: Arc<Ledger>,
    random: Random,
    due: BinaryHeap<Reverse<(i64, usize, End)>>,
    begun: i64,
    minutes: i64,
    pub(crate) met: BTreeMap<Kind, u64>,
}

struct Machine {
    replica: Replica,
    /// The release that the next start deploys.
    shorter: Arc<AtomicBool>,
    /// What is happening to it; its end belongs to the latest.
    trouble: Option<Kind>,
    nth: usize,
}

/// The end of what happens to a machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct End {
    machine: usize,
    nth: usize,
}

impl World {
    pub(crate) fn new(seed: u64, make: impl FnOnce(VirtualClock) -> Database) -> Self {
        let start = Slot::utc(2026, 1, 1, 0, 0).expect("a date");
        let time = VirtualClock::at(start);
        let database = make(time.clone());
        let ledger = Arc::new(Ledger::new(time.clone(), REPLICAS));
        let replicas = Replicas::new(time.clone(), Applied::new(&database, &ledger, time.clone()));
        let outside = database.clone();
        replicas.work_outside(move || outside.is_at_work());
        let app = App { desk: Desk { ledger: Arc::clone(&ledger), database, seed } };
        let machines = (0..REPLICAS)
            .map(|machine| {
                let shorter = Arc::new(AtomicBool::new(false));
                let (release, app, ledger) = (Arc::clone(&shorter), app.clone(), Arc::clone(&ledger));
                let replica = replicas.start(move |clock, store| {
                    let jobs = RELEASES[usize::from(release.load(Ordering::Relaxed))];
                    let leases = Asked { store, ledger: Arc::clone(&ledger), replica: machine };
                    jobs.with(app.clone()).clock(Coarse(clock)).leases(leases).grace(GRACES[machine % GRACES.len()])
                });
                Machine { replica, shorter, trouble: None, nth: 0 }
            })
            .collect();
        let random = Random::new(seed);
        let (due, begun) = (BinaryHeap::new(), millis(start.time()));
        Self { time, replicas, machines, ledger, random, due, begun, minutes: 0, met: BTreeMap::new() }
    }

    /// Lets time pass until so many slots are closed, of all jobs together.
    pub(crate) fn run(&mut self, slots: u64) -> Tally {
        self.run_until_wrong(slots, &[])
    }

    /// The same, or until one of these is found.
    pub(crate) fn run_until_wrong(&mut self, slots: u64, wrong: &[Wrong]) -> Tally {
        loop {
            {
                let tally = &self.ledger.books().tally;
                if tally.slots >= slots || wrong.iter().any(|wrong| tally.of(*wrong) > 0) {
                    return tally.clone();
                }
            }
            self.minute();
        }
    }

    fn minute(&mut self) {
        let from = self.begun + self.minutes * MINUTE;
        let mut faults = plan(&mut self.random);
        faults.sort_by_key(|fault| fault.after);
        for fault in faults {
            self.pass(from + fault.after);
            self.befall(fault);
        }
        self.pass(from + MINUTE - 1);
        self.minutes += 1;
        // The first minute has no slot: a process begins with the minute after its start.
        if self.minutes > CLOSED_AFTER + 1 {
            self.ledger.close(from - CLOSED_AFTER * MINUTE);
        }
    }

    /// Time passes, with the ends that are due.
    fn pass(&mut self, until: i64) {
        while let Some(Reverse((at, _, end))) = self.due.peek().copied().filter(|Reverse((at, ..))| *at <= until) {
            self.due.pop();
            self.to(at);
            self.recover(end);
        }
        self.to(until);
    }

    fn to(&mut self, time: i64) {
        let by = time - self.now();
        self.replicas.advance(Duration::from_millis(by.max(0).unsigned_abs()));
    }

    fn now(&self) -> i64 {
        millis(self.time.now())
    }

    /// Often one that is at work: there a fault hurts.
    fn draw_machine(&mut self) -> usize {
        let busy = self.ledger.busy();
        if !busy.is_empty() && self.random.either() {
            return busy[self.random.index(busy.len())];
        }
        self.random.index(REPLICAS)
    }

    fn befall(&mut self, Planned { kind, lasts, .. }: Planned) {
        let machine = self.draw_machine();
        let all = matches!(kind, Kind::PowerCut | Kind::StoreDownForAll);
        let struck = if all { 0..REPLICAS } else { machine..machine + 1 };
        for machine in struck {
            // What is paused, cut off or wrong about the time can still be killed; anything else would be two faults in one.
            let kind = if self.machines[machine].trouble.is_some() { Kind::Crash } else { kind };
            if kind == Kind::Crash || self.machines[machine].replica.is_up() {
                *self.met.entry(kind).or_default() += 1;
                self.strike(machine, kind, lasts);
            }
        }
    }

    fn strike(&mut self, index: usize, kind: Kind, lasts: i64) {
        let now = self.now();
        let machine = &mut self.machines[index];
        let leases = machine.replica.leases();
        // One fault of the connection at a time: four lost answers in a row are a store that is down.
        leases.forget();
        match kind {
            Kind::ClaimAnswerLost => return leases.next(Question::Claim, Fault::AnswerLost),
            Kind::ClaimLost => return leases.next(Question::Claim, Fault::QuestionLost),
            Kind::ReleaseAnswerLost => return leases.next(Question::Release, Fault::AnswerLost),
            Kind::ReleaseLost => return leases.next(Question::Release, Fault::QuestionLost),
            Kind::HandBackAnswerLost => return leases.next(Question::HandBack, Fault::AnswerLost),
            Kind::RenewalAnswerLost => return leases.next(Question::Renew, Fault::AnswerLost),
            _ => {}
        }
        self.ledger.trouble(index);
        match kind {
            Kind::Crash | Kind::PowerCut => machine.replica.crash(),
            Kind::Shutdown => machine.replica.shut_down(),
            Kind::Pause => {
                self.ledger.stopped(index);
                machine.replica.pause();
            }
            Kind::Suspend => {
                self.ledger.stopped(index);
                machine.replica.suspend();
            }
            Kind::ClaimAnswerLate => leases.next(Question::Claim, Fault::AnswerHeld),
            Kind::ClaimLate => leases.next(Question::Claim, Fault::QuestionHeld),
            Kind::ReleaseLate => leases.next(Question::Release, Fault::QuestionHeld),
            Kind::RenewalLate => leases.next(Question::Renew, Fault::AnswerHeld),
            Kind::StoreDown | Kind::StoreDownForAll => leases.down(),
            _ => {
                let off = stepped(kind, &mut self.random);
                set_wall(&machine.replica, now + off);
            }
        }
        machine.trouble = Some(kind);
        machine.nth += 1;
        self.due.push(Reverse((now + lasts, index, End { machine: index, nth: machine.nth })));
    }

    fn recover(&mut self, End { machine: index, nth }: End) {
        let machine = &mut self.machines[index];
        let Some(kind) = machine.trouble.take_if(|_| machine.nth == nth) else { return };
        let now = millis(self.time.now());
        let leases = machine.replica.leases();
        leases.forget();
        leases.up();
        // Until it has looked at its clock again, and the minute of its start is over.
        let mut over = now + MINUTE;
        match kind {
            Kind::Crash | Kind::PowerCut | Kind::Shutdown => {
                machine.shorter.store(self.random.either(), Ordering::Relaxed);
                set_wall(&machine.replica, now + accepted(&mut self.random));
                machine.replica.restart();
            }
            Kind::Pause | Kind::Suspend => machine.replica.resume(),
            Kind::ClockStepsAhead
            | Kind::ClockStepsBehind
            | Kind::ClockStepsDaysAhead
            | Kind::ClockStepsDaysBehind
            | Kind::ClockStepsWithinTolerance => {
                let shown = millis(machine.replica.clock().now());
                let off =
                    if kind == Kind::ClockStepsWithinTolerance { shown - now } else { accepted(&mut self.random) };
                set_wall(&machine.replica, now + off);
                // It repeats no slot, so it is silent until its clock is where it has been; a day is too long to have been true.
                if shown - now < 24 * 60 * MINUTE {
                    over = over.max(shown + 2 * MINUTE);
                }
            }
            _ => {}
        }
        leases.let_go();
        self.replicas.settle();
        self.ledger.trouble_ends(index, over);
    }
}

fn set_wall(replica: &Replica, millis: i64) {
    replica.clock().set_wall(Slot::from_unix_millis(0).time() + Duration::from_millis(millis.unsigned_abs()));
}
