//! The books, as those keep them who ask, decide, run and commit.

use std::{
    collections::VecDeque,
    fmt,
    sync::{Mutex, MutexGuard, PoisonError},
    time::{SystemTime, UNIX_EPOCH},
};

use steadfast::{Slot, clock::Clock as _, jobs::LostCause, testing::VirtualClock};

use crate::{
    books::{Books, JobBooks, Run, STEPS, Trouble, Way},
    jobs::NAMES,
    tally::Tally,
};

/// How far back the books go.
const KEPT: i64 = 3 * 60 * 60_000;

pub(crate) struct Ledger {
    books: Mutex<Books>,
    time: VirtualClock,
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
    pub(crate) fn answered(&self, name: &str, slot: i64, run: &str, won: Result<i64, LostCause>) {
        let (now, mut books) = (self.now(), self.books());
        match won {
            Ok(lease) => books.granted(job(name), slot, run, lease, now),
            Err(cause) => books.refused(job(name), slot, run, cause, now),
        }
    }

    pub(crate) fn renewed(&self, name: &str, slot: i64, run: &str, lease: i64) {
        let (now, mut books) = (self.now(), self.books());
        if let Some(run) = books.jobs[job(name)].run(slot, run) {
            run.leased_until = now + lease;
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

impl fmt::Debug for Ledger {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Ledger")
    }
}
