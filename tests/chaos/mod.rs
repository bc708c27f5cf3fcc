//! Chaos on PostgreSQL with real processes: replicas of one application (`tests/bin/chaos_replica`) are killed, stopped past their lease
//! and resumed, cut off in the middle of a claim, replaced by releases with other timeouts and lied to about the time, and their
//! server is stopped and killed under them. Then their rows are counted.
//!
//! `random` draws faults by the dozen. `controls` scripts one for each protection: with the protection nothing is found, and
//! without it the same books find what it is for.
//!
//! The clock of all is sped up, timeouts and leases with it; the waits of the tests are for what the database or a replica says.

mod audit;
mod controls;
mod explained;
mod faults;
mod fleet;
mod ledger;
mod random;
mod replica;
mod scene;
mod stage;
mod stalls;

/// A minute of the sped-up clock, in its milliseconds.
const MINUTE: i64 = 60_000;

const PLAIN: &str = "chaos.plain";
const FENCED: &str = "chaos.fenced";
const HANDED: &str = "chaos.handed";
const HEARTBEAT: &str = "chaos.heartbeat";

/// The jobs, and how many minutes lie between their slots.
const JOBS: [(&str, i64); 4] = [(PLAIN, 1), (FENCED, 1), (HANDED, 5), (HEARTBEAT, 1)];

/// From a slot up to another.
#[derive(Clone, Copy)]
struct Span {
    from: i64,
    to: i64,
}

impl Span {
    /// Those of a job that has one every so many minutes.
    fn slots_of(self, every: i64) -> impl Iterator<Item = i64> {
        (self.from..self.to).step_by(60_000).filter(move |slot| (slot / MINUTE) % every == 0)
    }
}
