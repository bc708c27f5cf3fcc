//! Why nobody ran a slot: asked when its books are closed.

use crate::{
    books::{Books, JobBooks, RELEASE, Refused},
    tally::{Cause, Wrong},
};

/// Around a slot, in milliseconds: a replica to which nothing happened in this time must have asked for it. Its clock may be off by
/// half a minute, and its loop looks at it every half minute.
const BEFORE: i64 = 100_000;
const AFTER: i64 = 70_000;

impl Books {
    /// Closes the books of a slot: who was to run it has, or never will.
    pub(crate) fn close(&mut self, job: usize, slot: i64) {
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

impl JobBooks {
    /// Was a run of this replica at work when it would have asked for the slot?
    fn works(&self, replica: usize, slot: i64) -> bool {
        let earlier = self.slots.range(..slot).flat_map(|(_, of)| &of.runs);
        let mut runs = earlier.filter(|run| run.replica == replica && run.begun.is_some());
        runs.any(|run| run.asked < slot + 31_000 && run.ended.is_none_or(|(ended, _)| ended + RELEASE > slot - 31_000))
    }
}
