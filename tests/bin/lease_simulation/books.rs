//! What is on record of each job, and what is wrong at once: everything that needs no look ahead.

use std::collections::{BTreeMap, VecDeque};

use steadfast::{Slot, jobs::LostCause};

use crate::{
    jobs::{NAMES, SHORTEST_TIMEOUT},
    random::mixed,
    tally::{Cause, Tally, Wrong},
};

/// Fenced units of a run, each of which commits.
pub(crate) const STEPS: usize = 2;
/// How long a release may be repeated, and a claim, in milliseconds.
pub(crate) const RELEASE: i64 = 10_000;

/// How far two clocks that the store accepts can differ.
const APART: i64 = 60_000;

pub(crate) struct Books {
    pub(crate) jobs: Vec<JobBooks>,
    /// When something was happening to each replica.
    pub(crate) troubles: Vec<VecDeque<Trouble>>,
    pub(crate) tally: Tally,
}

#[derive(Clone, Copy)]
pub(crate) struct Trouble {
    pub(crate) from: i64,
    pub(crate) until: i64,
}

#[derive(Default)]
pub(crate) struct JobBooks {
    pub(crate) slots: BTreeMap<i64, SlotBooks>,
    /// The run that the store gave the job to last and that has not handed back.
    pub(crate) holder: Option<(i64, String)>,
    pub(crate) at_work: Vec<(i64, String)>,
    pub(crate) top: i64,
}

#[derive(Default)]
pub(crate) struct SlotBooks {
    pub(crate) runs: Vec<Run>,
    pub(crate) starts: u32,
    pub(crate) handed_back: u32,
    pub(crate) commits: [u32; STEPS],
}

#[derive(Default)]
pub(crate) struct Run {
    pub(crate) id: String,
    pub(crate) replica: usize,
    pub(crate) asked: i64,
    pub(crate) granted: Option<i64>,
    /// By the true time, and so by no clock that counts.
    pub(crate) leased_until: i64,
    pub(crate) refused: Option<Refused>,
    pub(crate) begun: Option<i64>,
    pub(crate) ended: Option<(i64, Way)>,
    pub(crate) released: Option<i64>,
    /// Its replica was stopped for a while since it asked.
    pub(crate) stopped: bool,
}

/// How a job's function came to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Way {
    Returned,
    Panicked,
    CutOff,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Refused {
    Skew,
    Taken,
    Held(Cause),
    Wrong,
}

impl Books {
    pub(crate) fn wrong(&mut self, wrong: Wrong, job: usize, slot: i64, now: i64) {
        *self.tally.wrong.entry(wrong).or_default() += 1;
        if self.tally.told.len() < 5 {
            let (slot, after) = (Slot::from_unix_millis(slot), now - slot);
            self.tally.told.push(format!("{wrong:?}: `{}` of {slot}, {after} ms after it", NAMES[job]));
        }
    }

    /// A sum: of what happens at one instant any may be first.
    pub(crate) fn digest(&mut self, of: [i64; 5]) {
        let event = of.into_iter().fold(0, |event, value| mixed(event ^ value.unsigned_abs()).wrapping_add(1));
        self.tally.digest = self.tally.digest.wrapping_add(event);
    }

    /// Did something happen to the replica in this time?
    pub(crate) fn troubled(&self, replica: usize, from: i64, until: i64) -> bool {
        self.troubles[replica].iter().any(|trouble| trouble.from <= until && trouble.until >= from)
    }

    pub(crate) fn granted(&mut self, job: usize, slot: i64, id: &str, lease: i64, now: i64) {
        let books = &mut self.jobs[job];
        let before = books.holder.take().filter(|(_, holder)| holder != id);
        let before = before.and_then(|(slot, holder)| books.run(slot, &holder));
        let stolen = before.is_some_and(|run| run.released.is_none() && run.leased_until - now > APART);
        books.holder = Some((slot, id.to_owned()));
        if let Some(run) = books.run(slot, id) {
            run.granted.get_or_insert(now);
            run.leased_until = now + lease;
        }
        if stolen {
            self.wrong(Wrong::LeaseStolen, job, slot, now);
        }
    }

    pub(crate) fn released(&mut self, job: usize, id: &str, now: i64) {
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

    pub(crate) fn refused(&mut self, job: usize, slot: i64, id: &str, cause: LostCause, now: i64) {
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
    pub(crate) fn held(&mut self, job: usize, now: i64) -> Result<Cause, Wrong> {
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

    pub(crate) fn begin(&mut self, job: usize, slot: i64, id: &str, now: i64) -> u32 {
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

    pub(crate) fn committed(&mut self, job: usize, slot: i64, id: &str, step: usize, now: i64) {
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
}

impl JobBooks {
    pub(crate) fn run(&mut self, slot: i64, id: &str) -> Option<&mut Run> {
        self.slots.get_mut(&slot)?.runs.iter_mut().find(|run| run.id == id)
    }

    pub(crate) fn is_held_by(&self, slot: i64, id: &str) -> bool {
        self.holder.as_ref().is_some_and(|(held, holder)| *held == slot && holder == id)
    }
}

fn index(of: usize) -> i64 {
    i64::try_from(of).unwrap_or(-1)
}
