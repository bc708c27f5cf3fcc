//! What the demonstration prints: a line a slot and a summary, or one JSON object.

use std::sync::{
    Mutex,
    atomic::{AtomicU64, Ordering},
};

use steadfast::Slot;

use super::options::Supervise;

/// The units of all replicas, as their counters tell.
#[derive(Default)]
pub(super) struct Counts {
    ended: AtomicU64,
    attempts: AtomicU64,
    failed: AtomicU64,
    in_doubt: AtomicU64,
}

/// `Counts` at one moment.
#[derive(Clone, Copy, Default)]
pub(super) struct Units {
    pub(super) ended: u64,
    pub(super) attempts: u64,
    pub(super) failed: u64,
    pub(super) in_doubt: u64,
}

impl Counts {
    /// Takes in one line of a replica: a counter's name, its outcome or kind, and by how much it grew.
    pub(super) fn line(&self, line: &str) {
        let counter = match line.split(' ').collect::<Vec<_>>()[..] {
            ["steadfast_unit_attempts_total", ..] => &self.attempts,
            ["steadfast_unit_runs_total", "not_applied", ..] => &self.failed,
            // Of a replica that was shut down while it waited for the answer to COMMIT.
            ["steadfast_unit_runs_total", "in_doubt", ..] => &self.in_doubt,
            ["steadfast_unit_runs_total", ..] => &self.ended,
            _ => return,
        };
        counter.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn read(&self) -> Units {
        let read = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        let (failed, in_doubt) = (read(&self.failed), read(&self.in_doubt));
        Units { ended: read(&self.ended) + failed + in_doubt, attempts: read(&self.attempts), failed, in_doubt }
    }
}

/// What it all came to.
pub(super) struct Summary {
    pub(super) slots: u32,
    pub(super) exclusive_runs: i64,
    pub(super) doubled: i64,
    pub(super) killed: usize,
    pub(super) stopped: usize,
    pub(super) shut_down: usize,
    pub(super) open: i64,
    pub(super) counts: Units,
}

pub(super) struct Report {
    json: bool,
    /// Of the faults, if there are some.
    seed: Option<u64>,
    before: Mutex<Units>,
}

impl Report {
    pub(super) fn new(options: &Supervise) -> Self {
        let Supervise { json, chaos, replicas, slots, speed, seed } = *options;
        if !json {
            println!(
                "{replicas} replicas of a billing application on one SQLite file, {slots} slots, the clock {speed} times as fast."
            );
            if chaos {
                println!("Every few slots one is killed, stopped or shut down: `--seed {seed}` draws the same again.");
            }
            println!(
                "`mail.send-digest` is exclusive: one replica a slot. `billing.close-due-trials` runs on all at once;"
            );
            println!(
                "their transactions (units) collide, and are replayed as a whole until one attempt commits. A slot is a minute.\n"
            );
            println!("slot    the digest                       closing trials");
        }
        Self { json, seed: chaos.then_some(seed), before: Mutex::default() }
    }

    pub(super) fn slot(&self, slot: Slot, senders: &[(i64, i64)], counts: &Counts) {
        let now = counts.read();
        let Ok(mut before) = self.before.lock() else { return };
        let (units, attempts) = (now.ended - before.ended, now.attempts - before.attempts);
        *before = now;
        let sent: Vec<_> = senders
            .iter()
            .map(|(replica, mails)| {
                format!("replica {replica} sent {mails} mail{}", if *mails == 1 { "" } else { "s" })
            })
            .collect();
        let sent = if sent.is_empty() { "skipped: the lease is held".into() } else { sent.join(", ") };
        self.say(slot, &format!("{sent:<32} {units} units in {attempts} attempts"));
    }

    pub(super) fn fault(&self, slot: Slot, replica: i64, what: &str) {
        self.say(slot, &format!("replica {replica} {what}"));
    }

    fn say(&self, slot: Slot, what: &str) {
        if !self.json {
            println!("{:<7} {what}", &slot.to_string()[11..16]);
        }
    }

    pub(super) fn close(&self, summary: &Summary) {
        let Summary { slots, exclusive_runs, doubled, killed, stopped, shut_down, open, counts } = summary;
        let Units { ended, attempts, failed, in_doubt } = counts;
        if self.json {
            println!(
                "{{\"slots\":{slots},\"exclusive_runs\":{exclusive_runs},\"doubled\":{doubled},\"killed\":{killed},\
                 \"stopped\":{stopped},\"shut_down\":{shut_down},\"units\":{ended},\"unit_attempts\":{attempts},\"unit_failures\":{failed},\"units_in_doubt\":{in_doubt},\"trials_left_open\":{open},\"seed\":{}}}",
                self.seed.map_or_else(|| "null".to_owned(), |seed| seed.to_string())
            );
            return;
        }
        if self.seed.is_some() {
            println!(
                "\nOf {slots} slots the digest was begun in {exclusive_runs}; {killed} replicas were killed, {stopped} stopped and resumed, \
                 {shut_down} shut down; {doubled} mails were sent twice."
            );
            println!(
                "{ended} units took {attempts} attempts; {failed} failed, {in_doubt} are in doubt, {open} trials are left open."
            );
            return;
        }
        println!(
            "\nOf {slots} slots the digest was begun in {exclusive_runs}, {killed} of them cut short by the kill; {doubled} mails were sent twice."
        );
        println!(
            "Nobody repeats a half-sent digest: the slot after it is skipped while the dead replica's lease runs out, and"
        );
        println!("the next one heals.");
        println!("{ended} units took {attempts} attempts; {failed} failed, {open} trials are left open.");
    }
}
