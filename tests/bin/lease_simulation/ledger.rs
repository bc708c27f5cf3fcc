//! The books: what was asked, given out, begun and committed, and what must never be among it.

use std::{
    collections::{BTreeMap, VecDeque},
    fmt,
    sync::{Mutex, MutexGuard, PoisonError},
    time::{SystemTime, UNIX_EPOCH},
};

use steadfast::{Slot, clock::Clock as _, jobs::LostCause, testing::VirtualClock};

use crate::{
    jobs::{NAMES, SHORTEST_TIMEOUT},
    random::mixed,
};

/// Fenced units of a run, each of which commits.
pub(crate) const STEPS: usize = 2;
/// How far back the books go.
const KEPT: i64 = 3 * 60 * 60_000;

/// What must never be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Wrong {
    /// A slot began again that was not handed back.
    DoubleStart,
    /// Two runs of a job were at work, and neither had been stopped for a while.
    TwoAtWork,
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

pub(crate) struct Ledger {
    books: Mutex<Books>,
    time: VirtualClock,
}

pub(crate) struct Books {
    jobs: Vec<JobBooks>,
    /// When something was happening to each replica.
    troubles: Vec<VecDeque<Trouble>>,
    pub(crate) tally: Tally,
}

#[derive(Clone, Copy)]
struct Trouble {
    from: i64,
    until: i64,
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

#[derive(Default)]
struct JobBooks {
    slots: BTreeMap<i64, SlotBooks>,
    /// The run that the store gave the job to last and that has not handed back.
    holder: Option<(i64, String)>,
    at_work: Vec<(i64, String)>,
    top: i64,
}

#[derive(Default)]
struct SlotBooks {
    runs: Vec<Run>,
    starts: u32,
    handed_back: u32,
    commits: [u32; STEPS],
}

#[derive(Default)]
struct Run {
    id: String,
    replica: usize,
    asked: i64,
    granted: Option<i64>,
    refused: Option<Refused>,
    begun: Option<i64>,
    ended: Option<(i64, Way)>,
    released: Option<i64>,
    /// Its replica was stopped for a while since it asked.
    stopped: bool,
}

/// How a job's function came to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Way {
    Returned,
    Panicked,
    CutOff,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Refused {
    Skew,
    Taken,
    Held(Cause),
    Wrong,
}

impl Ledger {
    pub(crate) fn new(time: VirtualClock, replicas: usize) -> Self {
        let books = Books {
            jobs: NAMES.iter().map(|_| JobBooks::default()).collect(),
            troubles: vec![VecDeque::new(); replicas],
            tally: Tally::default(),
        };
        Self { books: Mutex::new(books), time }
    }

    pub(crate) fn books(&self) -> MutexGuard<'_, Books> {
        self.books.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn now(&self) -> i64 {
        millis(self.time.now())
    }

    /// A replica asks for a slot, perhaps again.
    pub(crate) fn asked(&self, name: &str, slot: i64, run: &str, replica: usize) {
        let (now, mut books) = (self.now(), self.books());
        let slot = books.jobs[job(name)].slots.entry(slot).or_default();
        if slot.runs.iter().all(|known| known.id != run) {
            slot.runs.push(Run { id: run.to_owned(), replica, asked: now, ..Run::default() });
        }
    }

    /// The store has decided; whether its answer arrives is another matter.
    pub(crate) fn answered(&self, name: &str, slot: i64, run: &str, lost: Option<LostCause>) {
        let (now, mut books) = (self.now(), self.books());
        match lost {
            None => books.granted(job(name), slot, run, now),
            Some(cause) => books.refused(job(name), slot, run, cause, now),
        }
    }

    pub(crate) fn released(&self, name: &str, run: &str) {
        let (now, mut books) = (self.now(), self.books());
        books.released(job(name), run, now);
    }

    pub(crate) fn handed_back(&self, name: &str, slot: i64, run: &str) {
        let mut books = self.books();
        let job = &mut books.jobs[job(name)];
        if job.is_held_by(slot, run) {
            job.holder = None;
            if let Some(slot) = job.slots.get_mut(&slot) {
                slot.handed_back += 1;
                slot.commits = [0; STEPS];
            }
            books.tally.handed_back += 1;
        }
    }

    /// The job's function was called.
    pub(crate) fn begin(&self, job: usize, slot: Slot, run: &str) -> AtWork<'_> {
        let (now, slot, mut books) = (self.now(), slot.unix_millis(), self.books());
        let nth = books.begin(job, slot, run, now);
        AtWork { ledger: self, job, slot, run: run.to_owned(), way: Way::CutOff, nth }
    }

    /// A fenced unit begins, and may never be heard of again.
    pub(crate) fn commits(&self) {
        self.books().tally.unheard += 1;
    }

    /// A fenced unit has ended.
    pub(crate) fn committed(&self, job: usize, slot: Slot, run: &str, step: usize, applied: bool) {
        let (now, mut books) = (self.now(), self.books());
        books.tally.unheard -= 1;
        if applied {
            books.committed(job, slot.unix_millis(), run, step, now);
        } else {
            books.tally.refused += 1;
        }
    }

    /// The job's function was dropped, at its end or before.
    fn ended(&self, at_work: &AtWork<'_>) {
        let (now, mut books) = (self.now(), self.books());
        let job = &mut books.jobs[at_work.job];
        job.at_work.retain(|(_, run)| *run != at_work.run);
        if let Some(run) = job.run(at_work.slot, &at_work.run) {
            run.ended = Some((now, at_work.way));
        }
    }

    /// The replica's process is stopped: what it has asked for or begun may outlive its lease.
    pub(crate) fn stopped(&self, replica: usize) {
        let mut books = self.books();
        for slot in books.jobs.iter_mut().flat_map(|job| job.slots.values_mut()) {
            for run in slot.runs.iter_mut().filter(|run| run.replica == replica && run.ended.is_none()) {
                run.stopped = true;
            }
        }
    }

    /// Something happens to a replica from now on.
    pub(crate) fn trouble(&self, replica: usize) {
        let now = self.now();
        self.books().troubles[replica].push_back(Trouble { from: now, until: i64::MAX });
    }

    /// It is over, or will be then.
    pub(crate) fn trouble_ends(&self, replica: usize, until: i64) {
        let mut books = self.books();
        let open = books.troubles[replica].iter_mut().filter(|trouble| trouble.until == i64::MAX);
        open.for_each(|trouble| trouble.until = until);
    }

    /// The replicas whose runs are at work, one for each run, of whatever job.
    pub(crate) fn busy(&self) -> Vec<usize> {
        let mut books = self.books();
        let mut busy = Vec::new();
        for job in &mut books.jobs {
            for (slot, run) in job.at_work.clone() {
                busy.extend(job.run(slot, &run).map(|run| run.replica));
            }
        }
        // In whatever order they began: a seed picks the same one.
        busy.sort_unstable();
        busy
    }

    /// Closes the books of a slot of every job: who was to run it has, or never will.
    pub(crate) fn close(&self, slot: i64) {
        let mut books = self.books();
        for job in 0..NAMES.len() {
            books.close(job, slot);
            let old = slot - KEPT;
            let recent = books.jobs[job].slots.split_off(&old);
            books.jobs[job].slots = recent;
        }
        for troubles in &mut books.troubles {
            while troubles.front().is_some_and(|trouble| trouble.until < slot - KEPT) {
                troubles.pop_front();
            }
        }
    }
}

impl Books {
    fn wrong(&mut self, wrong: Wrong, job: usize, slot: i64, now: i64) {
        *self.tally.wrong.entry(wrong).or_default() += 1;
        if self.tally.told.len() < 5 {
            let (slot, after) = (Slot::from_unix_millis(slot), now - slot);
            self.tally.told.push(format!("{wrong:?}: `{}` of {slot}, {after} ms after it", NAMES[job]));
        }
    }

    /// A sum: of what happens at one instant any may be first.
    fn digest(&mut self, of: [i64; 5]) {
        let event = of.into_iter().fold(0, |event, value| mixed(event ^ value.unsigned_abs()).wrapping_add(1));
        self.tally.digest = self.tally.digest.wrapping_add(event);
    }

    /// Did something happen to the replica in this time?
    fn troubled(&self, replica: usize, from: i64, until: i64) -> bool {
        self.troubles[replica].iter().any(|trouble| trouble.from <= until && trouble.until >= from)
    }

    fn granted(&mut self, job: usize, slot: i64, id: &str, now: i64) {
        let books = &mut self.jobs[job];
        if let Some(run) = books.run(slot, id) {
            run.granted.get_or_insert(now);
        }
        books.holder = Some((slot, id.to_owned()));
    }

    fn released(&mut self, job: usize, id: &str, now: i64) {
        let books = &mut self.jobs[job];
        let Some((slot, holder)) = books.holder.clone().filter(|(_, holder)| holder == id) else { return };
        let Some(run) = books.run(slot, &holder) else { return };
        run.released.get_or_insert(now);
        let (replica, asked) = (run.replica, run.asked);
        let in_doubt = match run.ended {
            Some((_, Way::Panicked)) => true,
            // By a shutdown, otherwise.
            Some((_, Way::CutOff)) => !self.troubled(replica, asked, now),
            Some((_, Way::Returned)) | None => false,
        };
        if in_doubt {
            self.wrong(Wrong::ReleasedInDoubt, job, slot, now);
        }
    }

    fn refused(&mut self, job: usize, slot: i64, id: &str, cause: LostCause, now: i64) {
        let refused = match cause {
            LostCause::Skew => Refused::Skew,
            LostCause::Slot => Refused::Taken,
            _ => match self.held(job, now) {
                Ok(cause) => Refused::Held(cause),
                Err(wrong) => {
                    self.wrong(wrong, job, slot, now);
                    Refused::Wrong
                }
            },
        };
        if let Some(run) = self.jobs[job].run(slot, id) {
            run.refused = Some(refused);
        }
    }

    /// Why a job is held now.
    fn held(&mut self, job: usize, now: i64) -> Result<Cause, Wrong> {
        let books = &mut self.jobs[job];
        let Some((slot, holder)) = books.holder.clone() else { return Err(Wrong::HeldByNobody) };
        let Some(run) = books.run(slot, &holder) else { return Ok(Cause::LeaseRunsOut) };
        if run.released.is_some() {
            return Err(Wrong::HeldByNobody);
        }
        let (replica, asked) = (run.replica, run.asked);
        let by_itself = match run.ended {
            None if run.begun.is_some() => return Ok(Cause::AtWork),
            // The release is asked again for a few seconds.
            Some((ended, Way::Returned)) if now - ended < RELEASE => return Ok(Cause::AtWork),
            Some((_, Way::Returned)) => false,
            // Whether one that has not begun should have is asked when the books of its slot are closed.
            None | Some((_, Way::Panicked)) => true,
            Some((ended, Way::CutOff)) => ended - asked >= SHORTEST_TIMEOUT,
        };
        if by_itself || self.troubled(replica, asked, now) { Ok(Cause::LeaseRunsOut) } else { Err(Wrong::NotReleased) }
    }

    fn begin(&mut self, job: usize, slot: i64, id: &str, now: i64) -> u32 {
        let books = &mut self.jobs[job];
        let mut stopped = false;
        let mut replica = 0;
        if let Some(run) = books.run(slot, id) {
            run.begun = Some(now);
            (stopped, replica) = (run.stopped, run.replica);
        }
        let holds = books.is_held_by(slot, id);
        let others = books.at_work.clone();
        let beside = others.iter().filter(|(slot, run)| books.run(*slot, run).is_some_and(|run| !run.stopped)).count();
        let of = books.slots.entry(slot).or_default();
        of.starts += 1;
        let (starts, handed_back) = (of.starts, of.handed_back);
        books.at_work.push((slot, id.to_owned()));
        if starts > 1 + handed_back {
            self.wrong(Wrong::DoubleStart, job, slot, now);
        }
        if beside > 0 && !stopped {
            self.wrong(Wrong::TwoAtWork, job, slot, now);
        }
        if !holds && !stopped {
            self.wrong(Wrong::BegunTooLate, job, slot, now);
        }
        self.tally.outlived += u64::from(!others.is_empty());
        self.tally.begun += 1;
        self.tally.begun_again += u64::from(starts > 1);
        self.digest([1, index(job), slot, now, index(replica)]);
        starts
    }

    fn committed(&mut self, job: usize, slot: i64, id: &str, step: usize, now: i64) {
        let books = &mut self.jobs[job];
        let of = books.slots.entry(slot).or_default();
        of.commits[step] += 1;
        let twice = of.commits[step] > 1;
        let holds = books.is_held_by(slot, id);
        let earlier = slot < books.top;
        books.top = books.top.max(slot);
        for (is, wrong) in [(twice, Wrong::DoubleCommit), (!holds, Wrong::StaleCommit), (earlier, Wrong::EarlierCommit)]
        {
            if is {
                self.wrong(wrong, job, slot, now);
            }
        }
        self.tally.committed += 1;
        self.digest([2, index(job), slot, now, index(step)]);
    }

    fn close(&mut self, job: usize, slot: i64) {
        self.tally.slots += 1;
        let clean: Vec<_> =
            (0..self.troubles.len()).filter(|replica| !self.troubled(*replica, slot - BEFORE, slot + AFTER)).collect();
        self.tally.clean += u64::from(!clean.is_empty());
        let of = self.jobs[job].slots.entry(slot).or_default();
        if of.starts > 0 {
            return;
        }
        match self.why_not_run(job, slot, &clean) {
            Ok(cause) => *self.tally.not_run.entry(cause).or_default() += 1,
            Err(wrong) => self.wrong(wrong, job, slot, slot),
        }
    }

    fn why_not_run(&self, job: usize, slot: i64, clean: &[usize]) -> Result<Cause, Wrong> {
        let of = &self.jobs[job].slots[&slot];
        if let Some((replica, granted)) = of.runs.iter().find_map(|run| run.granted.map(|at| (run.replica, at))) {
            let lost = self.troubled(replica, granted, granted + RELEASE);
            return if lost { Ok(Cause::GivenOutAndLost) } else { Err(Wrong::NotBegun) };
        }
        if clean.is_empty() {
            return Ok(Cause::NobodyUp);
        }
        let mut held = None;
        for replica in clean {
            let peaceful = (slot - BEFORE)..=(slot + AFTER);
            let mut asked =
                of.runs.iter().filter(|run| run.replica == *replica && peaceful.contains(&run.asked)).peekable();
            if asked.peek().is_none() {
                // A replica does not ask while its own run goes on.
                if !self.jobs[job].works(*replica, slot) {
                    return Err(Wrong::NotAsked);
                }
                held = held.or(Some(Cause::AtWork));
            }
            for run in asked {
                match run.refused {
                    Some(Refused::Held(cause)) => held = Some(cause),
                    Some(Refused::Wrong) => held = held.or(Some(Cause::LeaseRunsOut)),
                    // A clean replica's clock is right, and the store answers it.
                    Some(Refused::Skew) | None => return Err(Wrong::NotAsked),
                    Some(Refused::Taken) => {}
                }
            }
        }
        let refused_before = of.runs.iter().any(|run| matches!(run.refused, Some(Refused::Held(_))));
        match held {
            Some(cause) => Ok(cause),
            None if refused_before => Ok(Cause::Overtaken),
            None => Err(Wrong::TakenByNobody),
        }
    }
}

/// Around a slot, in milliseconds: a replica to which nothing happened in this time must have asked for it. Its clock may be off by
/// half a minute, and its loop looks at it every half minute.
const BEFORE: i64 = 100_000;
const AFTER: i64 = 70_000;
/// How long a release may be repeated, and a claim, in milliseconds.
const RELEASE: i64 = 10_000;

impl JobBooks {
    fn run(&mut self, slot: i64, id: &str) -> Option<&mut Run> {
        self.slots.get_mut(&slot)?.runs.iter_mut().find(|run| run.id == id)
    }

    fn is_held_by(&self, slot: i64, id: &str) -> bool {
        self.holder.as_ref().is_some_and(|(held, holder)| *held == slot && holder == id)
    }

    /// Was a run of this replica at work when it would have asked for the slot?
    fn works(&self, replica: usize, slot: i64) -> bool {
        let earlier = self.slots.range(..slot).flat_map(|(_, of)| &of.runs);
        let mut runs = earlier.filter(|run| run.replica == replica && run.begun.is_some());
        runs.any(|run| run.asked < slot + 31_000 && run.ended.is_none_or(|(ended, _)| ended + RELEASE > slot - 31_000))
    }
}

/// A job's function that is at work.
pub(crate) struct AtWork<'a> {
    ledger: &'a Ledger,
    job: usize,
    slot: i64,
    run: String,
    way: Way,
    nth: u32,
}

impl AtWork<'_> {
    /// It comes to its end by itself: what is dropped before was cut off.
    pub(crate) fn ends(&mut self, way: Way) {
        self.way = way;
    }

    /// The start of its slot that it is.
    pub(crate) fn nth(&self) -> u32 {
        self.nth
    }
}

impl Drop for AtWork<'_> {
    fn drop(&mut self) {
        self.ledger.ended(self);
    }
}

fn index(of: usize) -> i64 {
    i64::try_from(of).unwrap_or(-1)
}

fn job(name: &str) -> usize {
    NAMES.iter().position(|job| *job == name).unwrap_or_else(|| panic!("no job is named `{name}`"))
}

/// Milliseconds since the epoch.
pub(crate) fn millis(time: SystemTime) -> i64 {
    let since = |time: std::time::Duration| i64::try_from(time.as_millis()).unwrap_or(i64::MAX);
    match time.duration_since(UNIX_EPOCH) {
        Ok(after) => since(after),
        Err(before) => -since(before.duration()),
    }
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

impl fmt::Debug for Ledger {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Ledger")
    }
}
