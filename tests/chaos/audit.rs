//! What the books are searched for.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    HANDED, MINUTE, Span,
    explained::{Causes, Missed},
    faults::Struck,
    ledger::{Ledger, Run},
};

/// How far a claimer's clock may be ahead of the database's.
const TOLERANCE: i64 = MINUTE / 2;

/// What was found; nothing of it may be there but `committed_again`, `handed_over` and `late_steps`.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Findings {
    /// A slot that was begun by two runs, and not because the first was cut off and gave it back.
    pub(super) double_starts: usize,
    /// Two runs of a job at work at one time.
    pub(super) overlaps: usize,
    /// A lease that was taken before its end.
    pub(super) stolen: usize,
    /// A slot with two commits, and not given back after the first.
    pub(super) double_commits: usize,
    /// A slot that was committed, given back and committed again: its run was cut off between the two.
    pub(super) committed_again: usize,
    /// A commit of a slot after that of a later one.
    pub(super) slots_down: usize,
    /// A slot that was begun again after it was given back.
    pub(super) handed_over: usize,
    /// A statement of a process that was stopped past its lease, sent before it had seen how late it was. No lease can keep it from
    /// that; a fence keeps it from counting.
    pub(super) late_steps: usize,
    /// Slots that never began, and why.
    pub(super) missed: Vec<Missed>,
}

impl Findings {
    /// Of one job; what was missed, within a span.
    pub(super) fn of((job, every): (&'static str, i64), ledger: &Ledger, causes: Causes<'_>, span: Span) -> Self {
        let mut found = Self::default();
        found.starts(job, ledger);
        found.live_runs(job, ledger, causes.struck);
        found.leases(job, ledger);
        found.commits(job, ledger);
        let begun: BTreeSet<_> = ledger.runs_of(job).map(|run| run.slot).collect();
        let missed = span.slots_of(every).filter(|slot| !begun.contains(slot));
        found.missed = missed.map(|slot| Missed { job, slot, why: causes.of(ledger, job, slot) }).collect();
        found
    }

    pub(super) fn add(&mut self, other: Self) {
        self.double_starts += other.double_starts;
        self.overlaps += other.overlaps;
        self.stolen += other.stolen;
        self.double_commits += other.double_commits;
        self.committed_again += other.committed_again;
        self.slots_down += other.slots_down;
        self.handed_over += other.handed_over;
        self.late_steps += other.late_steps;
        self.missed.extend(other.missed);
    }

    /// Slots that never began, and nothing explains it.
    pub(super) fn unexplained(&self) -> usize {
        self.missed.iter().filter(|missed| missed.why.is_none()).count()
    }

    /// What must not be.
    pub(super) fn violations(&self) -> usize {
        let twice = self.double_starts + self.double_commits + self.slots_down;
        twice + self.overlaps + self.stolen + self.unexplained()
    }

    fn starts(&mut self, job: &str, ledger: &Ledger) {
        let mut begun: BTreeMap<i64, &Run> = BTreeMap::new();
        for run in ledger.runs_of(job) {
            let Some(first) = begun.insert(run.slot, run) else { continue };
            let given_back = ledger.given_back(job, run.slot, (first.began(), run.began()));
            if job == HANDED && given_back {
                self.handed_over += 1;
            } else {
                self.double_starts += 1;
            }
        }
    }

    fn live_runs(&mut self, job: &str, ledger: &Ledger, struck: &[Struck]) {
        let runs: Vec<_> = ledger.runs_of(job).collect();
        for (index, run) in runs.iter().enumerate() {
            // The next one is the first that it can meet.
            let Some(next) = runs.get(index + 1).map(|next| next.began()) else { continue };
            let late: Vec<_> = run.marks.iter().map(|mark| mark.at).filter(|at| *at > next).collect();
            let resumed = |at: i64| {
                struck.iter().any(|fault| {
                    fault.pauses(run.replica) && (run.began()..next).contains(&fault.from) && at >= fault.until
                })
            };
            match late[..] {
                [] => {}
                [step] if resumed(step) => self.late_steps += 1,
                _ => self.overlaps += 1,
            }
        }
    }

    fn leases(&mut self, job: &str, ledger: &Ledger) {
        let states: Vec<_> = ledger.leases_of(job).collect();
        self.stolen += states
            .windows(2)
            .filter(|pair| {
                let (held, taken) = (pair[0], pair[1]);
                taken.run != held.run
                    && !taken.run.is_empty()
                    && held.until.is_some_and(|until| until >= taken.at + TOLERANCE)
            })
            .count();
    }

    fn commits(&mut self, job: &str, ledger: &Ledger) {
        let (mut seen, mut latest) = (BTreeMap::new(), i64::MIN);
        for commit in ledger.commits.iter().filter(|commit| commit.job == job) {
            // What a run has committed and then gives back, the next one may commit again: its job says that it bears that.
            if let Some(before) = seen.insert(commit.slot, commit.at) {
                let given_back = ledger.given_back(job, commit.slot, (before, commit.at));
                let count = if given_back { &mut self.committed_again } else { &mut self.double_commits };
                *count += 1;
            }
            self.slots_down += usize::from(commit.slot < latest);
            latest = latest.max(commit.slot);
        }
    }
}
