//! What is written down: rows of the jobs, and every state of a lease row, both with the database's time.

use std::collections::HashMap;

use sqlx::{AssertSqlSafe, PgPool};
use steadfast_tests::{chaos::Event, sped_up::SpedUp};

use super::{MINUTE, replica::Heard};

/// The tables. A commit is written down by a trigger that waits for it, and the lease by one on its row, so that neither depends on
/// what a replica says of itself.
pub(super) async fn create(pool: &PgPool, clock: SpedUp) -> sqlx::Result<()> {
    let now = clock.in_sql();
    let tables = format!(
        "CREATE TABLE marks (n BIGSERIAL, job TEXT, slot BIGINT, run TEXT, replica INT, what TEXT, at BIGINT DEFAULT {now});
         CREATE TABLE writes (job TEXT, slot BIGINT, run TEXT, replica INT);
         CREATE TABLE commits (n BIGSERIAL, job TEXT, slot BIGINT, run TEXT, at BIGINT DEFAULT {now});
         CREATE FUNCTION committed() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
             INSERT INTO commits (job, slot, run) VALUES (NEW.job, NEW.slot, NEW.run);
             RETURN NULL;
         END $$;
         CREATE CONSTRAINT TRIGGER at_commit AFTER INSERT ON writes DEFERRABLE INITIALLY DEFERRED
             FOR EACH ROW EXECUTE FUNCTION committed();
         CREATE TABLE leases (n BIGSERIAL, job TEXT, slot BIGINT, run TEXT, until BIGINT, at BIGINT DEFAULT {now});
         CREATE FUNCTION leased() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
             INSERT INTO leases (job, slot, run, until) VALUES (NEW.name, NEW.last_slot, NEW.holder, NEW.lease_until);
             RETURN NULL;
         END $$;
         CREATE TRIGGER leased AFTER INSERT OR UPDATE ON jobs_leases FOR EACH ROW EXECUTE FUNCTION leased()"
    );
    sqlx::raw_sql(AssertSqlSafe(tables)).execute(pool).await.map(drop)
}

/// A job was at work then.
pub(super) struct Mark {
    pub(super) what: String,
    pub(super) at: i64,
}

/// A run that has begun its work.
pub(super) struct Run {
    pub(super) job: String,
    pub(super) slot: i64,
    pub(super) id: String,
    pub(super) replica: i32,
    /// In their order, one at least.
    pub(super) marks: Vec<Mark>,
}

impl Run {
    pub(super) fn began(&self) -> i64 {
        self.marks[0].at
    }

    pub(super) fn last(&self) -> i64 {
        self.marks[self.marks.len() - 1].at
    }
}

/// A state of a lease row.
pub(super) struct Lease {
    pub(super) job: String,
    pub(super) slot: i64,
    pub(super) run: String,
    pub(super) until: Option<i64>,
    pub(super) at: i64,
}

pub(super) struct Commit {
    pub(super) job: String,
    pub(super) slot: i64,
    pub(super) run: String,
    pub(super) at: i64,
}

pub(super) struct Ledger {
    /// In the order in which they began.
    pub(super) runs: Vec<Run>,
    /// In their order.
    pub(super) commits: Vec<Commit>,
    /// In their order.
    pub(super) leases: Vec<Lease>,
    /// Who asked for a slot, by the run that was to have it.
    claimants: HashMap<String, i32>,
    /// Runs and claims that took longer than they do: of which job, of which slot, which run.
    slow: Vec<(String, i64, String)>,
}

impl Ledger {
    pub(super) async fn read(pool: &PgPool, told: &[Heard]) -> sqlx::Result<Self> {
        let sql = "SELECT job, slot, run, replica, what, at FROM marks ORDER BY n";
        let marks: Vec<(String, i64, String, i32, String, i64)> = sqlx::query_as(sql).fetch_all(pool).await?;
        let (mut runs, mut places) = (Vec::<Run>::new(), HashMap::new());
        for (job, slot, id, replica, what, at) in marks {
            let place = *places.entry(id.clone()).or_insert(runs.len());
            if place == runs.len() {
                runs.push(Run { job, slot, id, replica, marks: Vec::new() });
            }
            runs[place].marks.push(Mark { what, at });
        }
        let sql = "SELECT job, slot, run, at FROM commits ORDER BY n";
        let commits: Vec<(String, i64, String, i64)> = sqlx::query_as(sql).fetch_all(pool).await?;
        let sql = "SELECT job, slot, run, until, at FROM leases ORDER BY n";
        let leases: Vec<(String, i64, String, Option<i64>, i64)> = sqlx::query_as(sql).fetch_all(pool).await?;
        let asked = told.iter().filter(|heard| heard.told.what == Event::Asks);
        Ok(Self {
            runs,
            commits: commits.into_iter().map(|(job, slot, run, at)| Commit { job, slot, run, at }).collect(),
            leases: leases.into_iter().map(|(job, slot, run, until, at)| Lease { job, slot, run, until, at }).collect(),
            slow: told
                .iter()
                .filter(|heard| heard.told.what == Event::Slow)
                .map(|heard| (heard.told.job.clone(), heard.told.slot, heard.told.run.clone()))
                .collect(),
            claimants: asked.map(|heard| (heard.told.run.clone(), heard.replica)).collect(),
        })
    }

    pub(super) fn runs_of<'a>(&'a self, job: &'a str) -> impl Iterator<Item = &'a Run> {
        self.runs.iter().filter(move |run| run.job == job)
    }

    pub(super) fn leases_of<'a>(&'a self, job: &'a str) -> impl DoubleEndedIterator<Item = &'a Lease> {
        self.leases.iter().filter(move |lease| lease.job == job)
    }

    /// Whether a slot was given back between two moments: its row has no holder then, and ends a millisecond before it.
    pub(super) fn given_back(&self, job: &str, slot: i64, (from, to): (i64, i64)) -> bool {
        self.leases_of(job)
            .any(|lease| lease.run.is_empty() && lease.slot == slot - 1 && (from..=to).contains(&lease.at))
    }

    pub(super) fn run(&self, id: &str) -> Option<&Run> {
        self.runs.iter().find(|run| run.id == id)
    }

    /// What happened to a job about a slot, for whoever has to find out why.
    pub(super) fn around(&self, job: &str, slot: i64, told: &[Heard]) -> String {
        let (from, to) = (slot - 5 * MINUTE, slot + 2 * MINUTE);
        let mut lines = Vec::new();
        for lease in self.leases_of(job) {
            let until = lease.until.map(|until| until - slot);
            let whose = self.claimant(&lease.run);
            lines.push((
                lease.at,
                format!("lease: slot {}, run {} of {whose:?}, until {until:?}", lease.slot - slot, lease.run),
            ));
        }
        for run in self.runs_of(job) {
            for mark in &run.marks {
                lines.push((mark.at, format!("replica {} {}s slot {}", run.replica, mark.what, run.slot - slot)));
            }
        }
        for commit in self.commits.iter().filter(|commit| commit.job == job) {
            lines.push((commit.at, format!("commit: slot {}, run {}", commit.slot - slot, commit.run)));
        }
        for Heard { replica, at, told } in told.iter().filter(|heard| heard.told.job == job) {
            lines.push((*at, format!("replica {replica}: {} slot {}, run {}", told.what, told.slot - slot, told.run)));
        }
        lines.retain(|(at, _)| (from..to).contains(at));
        lines.sort();
        let lines: Vec<_> = lines.into_iter().map(|(at, line)| format!("{:>8} {line}", at - slot)).collect();
        lines.join("\n")
    }

    /// Was this run, or a claim of the slot, slow?
    pub(super) fn was_slow(&self, job: &str, slot: i64, run: Option<&str>) -> bool {
        self.slow.iter().any(|(of, at, who)| of == job && (*at == slot || run == Some(who)))
    }

    /// The replica whose run it is.
    pub(super) fn claimant(&self, run: &str) -> Option<i32> {
        self.claimants.get(run).copied()
    }
}
