//! The statements, once for each engine.

use std::time::Duration;

use steadfast::{
    LeaseStore as _, Slot,
    jobs::{Claim, Claimed, RunId},
    testing::VirtualClock,
};

use super::{Leases, Pool};
use crate::table::Subject;

/// What the subjects share: the claimer's clock is moved ten minutes on for each claim, so that the lease before has run out and nothing has
/// to be released; the statement is what it is.
pub(crate) struct Scene {
    pub(crate) pool: Pool,
    pub(crate) leases: Leases,
    start: Slot,
}

const LEASE: Duration = Duration::from_mins(2);

impl Scene {
    pub(crate) async fn on(pool: Pool) -> Self {
        let leases = Leases::new(&pool).clock_tolerance(Duration::from_hours(24 * 3650));
        leases.install().await.expect("the table");
        let start = Slot::utc(2026, 1, 1, 0, 0).expect("a date");
        let scene = Self { pool, leases, start };
        for sql in [
            "create table bare (name text primary key, n bigint not null)",
            "insert into bare values ('job', 0)",
            "create table locks (name text primary key, lock_until bigint not null, locked_by text not null)",
        ] {
            sqlx::query(sql).execute(&scene.pool).await.expect("the tables of the others");
        }
        scene.claim("taken", 0).await;
        scene.upsert("taken", 0).await;
        scene
    }

    fn at(&self, number: u32) -> Slot {
        Slot::from_unix_seconds(self.start.unix_seconds() + i64::from(number) * 600)
    }

    /// Claims the slot of this number.
    pub(crate) async fn claim(&self, job: &str, number: u32) -> Claimed {
        let (slot, run) = (self.at(number), RunId::random());
        let clock = VirtualClock::at(slot);
        self.leases.claim(&Claim::new(job, slot, LEASE, &run, &clock)).await.expect("the store answers")
    }

    /// The upsert that asks nothing before: won?
    pub(crate) async fn upsert(&self, job: &str, number: u32) -> bool {
        let now = self.at(number).unix_millis();
        let sql = "insert into locks (name, lock_until, locked_by) values ($1, $2 + 120000, $3) \
                   on conflict (name) do update set lock_until = excluded.lock_until, locked_by = excluded.locked_by \
                   where locks.lock_until < $2 returning name";
        let run = RunId::random().to_string();
        let won = sqlx::query(sql).bind(job).bind(now).bind(run).fetch_optional(&self.pool).await;
        won.expect("the database answers").is_some()
    }

    pub(crate) async fn update(&self, job: &str) {
        let sql = "update bare set n = n + 1 where name = $1";
        sqlx::query(sql).bind(job).execute(&self.pool).await.expect("the database answers");
    }

    pub(crate) async fn select(&self, job: &str) {
        let sql = "select last_slot, lease_until, lease_ms, holder, prev_slot from jobs_leases where name = $1";
        sqlx::query(sql).bind(job).fetch_all(&self.pool).await.expect("the database answers");
    }

    /// One connection, one call after the other.
    pub(crate) fn subjects(&self) -> Vec<Subject<'_>> {
        vec![
            Subject::new("bare UPDATE", None, move |_, calls| async move {
                for _ in 0..calls {
                    self.update("job").await;
                }
            }),
            Subject::new("claim, won", Some(("bare UPDATE", "reach 0.75")), move |from, calls| async move {
                for number in from..from + calls {
                    assert!(self.claim("job", number + 1).await.is_won());
                }
            }),
            Subject::new(
                "upsert without a read, won",
                Some(("bare UPDATE", "to compare")),
                move |from, calls| async move {
                    for number in from..from + calls {
                        assert!(self.upsert("job", number + 1).await);
                    }
                },
            ),
            Subject::new("bare SELECT", None, move |_, calls| async move {
                for _ in 0..calls {
                    self.select("taken").await;
                }
            }),
            Subject::new("claim, lost", Some(("bare SELECT", "reach 0.77")), move |_, calls| async move {
                for _ in 0..calls {
                    assert!(!self.claim("taken", 0).await.is_won());
                }
            }),
            Subject::new(
                "upsert without a read, lost",
                Some(("claim, lost", "reach 0.125 and less")),
                move |_, calls| async move {
                    for _ in 0..calls {
                        assert!(!self.upsert("taken", 0).await);
                    }
                },
            ),
        ]
    }
}
