//! The lease store of a replica: `PostgresLeases`, whose claims are told.
//!
//! For a control, one of its protections is taken away, by a statement before its own that makes the protecting clause say yes. It is
//! here, in a crate that is never published, and not behind a switch of the library that could be turned in a release.

use std::{pin::Pin, time::Duration};

use sqlx::{AssertSqlSafe, PgPool};
use steadfast::{
    LeaseStore, PostgresLeases, Slot,
    clock::Clock as _,
    jobs::{Claim, Claimed, LeaseError, LeaseErrorKind, LeaseRow, LostCause},
};
use steadfast_tests::{
    chaos::{Event, Removed, Settings},
    sped_up::SpedUp,
};

use crate::work::{Slow, tell};

type Answer<'a, T> = Pin<Box<dyn Future<Output = Result<T, LeaseError>> + Send + 'a>>;

pub(crate) struct Store {
    leases: PostgresLeases,
    pool: PgPool,
    clock: SpedUp,
    released_after: Duration,
    removed: Option<Removed>,
}

impl Store {
    /// The tolerated difference of clocks stays 30 seconds of the sped-up clock: more would be no guard at this speed.
    pub(crate) fn new(pool: &PgPool, settings: &Settings) -> Self {
        let leases = PostgresLeases::new(pool).database_clock(AssertSqlSafe(settings.clock.in_sql()));
        let leases = match settings.removed {
            Some(Removed::ClockGuard) => leases.clock_tolerance(Duration::MAX),
            _ => leases,
        };
        let (clock, released_after) = (settings.clock, settings.released_after);
        Self { leases, pool: pool.clone(), clock, released_after, removed: settings.removed }
    }

    /// What makes the clause that is to be absent say yes; for the control of a repeated claim, no.
    async fn undermine(&self, claim: &Claim<'_>) -> Result<(), LeaseError> {
        let (name, slot, run) = (claim.name(), slot_of(claim), claim.run());
        let statement = match self.removed {
            // "It ends further ahead than my own lease allows": the clause as it was first written.
            Some(Removed::OwnLength) => {
                sqlx::query("UPDATE jobs_leases SET lease_until = NULL WHERE name = $1 AND lease_until > $2")
                    .bind(name)
                    .bind(claim.now_millis() + 2 * claim.lease_millis())
            }
            Some(Removed::TakenSlot) => {
                sqlx::query("UPDATE jobs_leases SET last_slot = $2 - 1 WHERE name = $1 AND last_slot = $2")
                    .bind(name)
                    .bind(slot)
            }
            Some(Removed::SameRun) => {
                sqlx::query("UPDATE jobs_leases SET holder = 'lost' WHERE name = $1 AND last_slot = $2 AND holder = $3")
                    .bind(name)
                    .bind(slot)
                    .bind(run)
            }
            _ => return Ok(()),
        };
        statement.execute(&self.pool).await.map(drop).map_err(cannot_say)
    }
}

impl LeaseStore for Store {
    fn check(&self) -> Answer<'_, ()> {
        LeaseStore::check(&self.leases)
    }

    fn claim<'a>(&'a self, claim: &'a Claim<'a>) -> Answer<'a, Claimed> {
        Box::pin(async move {
            let (name, slot, run) = (claim.name(), slot_of(claim), claim.run());
            let tell = |what| tell(what, name, slot, run);
            tell(Event::Asks);
            let _slow = Slow::after(Duration::ZERO, self.clock.speed, name, slot, run);
            self.undermine(claim).await?;
            let answer = LeaseStore::claim(&self.leases, claim).await;
            tell(match answer.as_ref().map(|claimed| claimed.lost) {
                Ok(None) => Event::Won,
                Ok(Some(LostCause::Held)) => Event::HeldBy,
                Ok(Some(LostCause::Skew)) => Event::Skewed,
                Ok(Some(_)) => Event::TakenBy,
                Err(_) => Event::Unanswered,
            });
            answer
        })
    }

    fn holds<'a>(&'a self, name: &'a str, token: i64, run: &'a str) -> Answer<'a, bool> {
        LeaseStore::holds(&self.leases, name, token, run)
    }

    fn renew<'a>(&'a self, claim: &'a Claim<'a>, token: i64) -> Answer<'a, bool> {
        if self.removed == Some(Removed::Renewal) {
            return Box::pin(async { Ok(true) });
        }
        LeaseStore::renew(&self.leases, claim, token)
    }

    fn hand_back<'a>(&'a self, name: &'a str, slot: Slot, run: &'a str) -> Answer<'a, ()> {
        if self.removed == Some(Removed::HandBack) {
            return LeaseStore::release(&self.leases, name, run);
        }
        LeaseStore::hand_back(&self.leases, name, slot, run)
    }

    fn pause<'a>(&'a self, name: &'a str, reason: &'a str) -> Answer<'a, ()> {
        LeaseStore::pause(&self.leases, name, reason)
    }

    fn resume<'a>(&'a self, name: &'a str) -> Answer<'a, ()> {
        LeaseStore::resume(&self.leases, name)
    }

    fn row<'a>(&'a self, name: &'a str) -> Answer<'a, Option<LeaseRow>> {
        LeaseStore::row(&self.leases, name)
    }

    fn database(&self) -> Option<&'static str> {
        self.leases.database()
    }

    fn release<'a>(&'a self, name: &'a str, run: &'a str) -> Answer<'a, ()> {
        Box::pin(async move {
            self.clock.sleep(self.released_after).await;
            if self.removed == Some(Removed::GuardedRelease) {
                let released = sqlx::query("UPDATE jobs_leases SET lease_until = NULL WHERE name = $1").bind(name);
                return released.execute(&self.pool).await.map(drop).map_err(cannot_say);
            }
            LeaseStore::release(&self.leases, name, run).await
        })
    }
}

/// Nobody runs a job by hand here.
fn slot_of(claim: &Claim<'_>) -> i64 {
    claim.slot_millis().expect("a slot")
}

fn cannot_say(error: sqlx::Error) -> LeaseError {
    LeaseError::new(LeaseErrorKind::ConnectionLost).caused_by(error)
}
