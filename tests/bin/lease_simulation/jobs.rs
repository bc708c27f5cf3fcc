//! The jobs, as a user declares them, in two releases that differ in their timeouts.

use std::{
    sync::Arc,
    time::{Duration, SystemTime},
};

use steadfast::{Classify, JobClock, Provide, Slot, UnitFailure, clock::Clock, jobs::NeedsLeases, sqlite::Lease};

use crate::{
    books::{STEPS, Way},
    database::Database,
    ledger::Ledger,
    random::{Random, mixed},
};

pub(crate) const NAMES: [&str; 3] = ["plain", "handed", "beating"];

#[derive(Debug, thiserror::Error, Classify)]
pub(crate) enum Failed {
    #[error("the application says no")]
    Domain,
    #[error(transparent)]
    #[classify(transparent)]
    Unit(#[from] UnitFailure),
    #[error(transparent)]
    #[classify(transparent)]
    Db(#[from] sqlx::Error),
}

/// What the jobs of one replica work with.
#[derive(Clone)]
pub(crate) struct Desk {
    pub(crate) ledger: Arc<Ledger>,
    pub(crate) database: Database,
    pub(crate) seed: u64,
}

#[derive(Clone, Provide)]
pub(crate) struct App {
    pub(crate) desk: Desk,
}

macro_rules! release {
    ($release:ident, $plain:literal, $handed:literal, $beating:literal) => {
        pub(crate) mod $release {
            use steadfast::{JobClock, Slot, job, registry, sqlite::Lease};

            use super::{App, Desk, Failed, work};

            #[job(name = "plain", cron = "* * * * *", exclusive, timeout = $plain, overlap = skip)]
            async fn plain(slot: Slot, desk: &Desk, clock: &JobClock, lease: &Lease) -> Result<(), Failed> {
                work(0, slot, desk, clock, lease).await
            }

            #[job(
                                                                                                name = "handed",
                                                                                                cron = "* * * * *",
                                                                                                exclusive,
                                                                                                timeout = $handed,
                                                                                                overlap = skip,
                                                                                                on_shutdown = hand_back,
                                                                                                catch_up = "1m"
                                                                                            )]
            async fn handed(slot: Slot, desk: &Desk, clock: &JobClock, lease: &Lease) -> Result<(), Failed> {
                work(1, slot, desk, clock, lease).await
            }

            #[job(name = "beating", cron = "* * * * *", exclusive, timeout = $beating, overlap = skip, heartbeat)]
            async fn beating(slot: Slot, desk: &Desk, clock: &JobClock, lease: &Lease) -> Result<(), Failed> {
                work(2, slot, desk, clock, lease).await
            }

            registry! { pub(crate) static JOBS for App = [plain, handed, beating]; }
        }
    };
}

release!(before, "5m", "5m", "10m");
release!(after, "30s", "90s", "2m");

pub(crate) type Jobs = steadfast::jobs::Registry<App, NeedsLeases>;
pub(crate) static RELEASES: [&Jobs; 2] = [&before::JOBS, &after::JOBS];

/// Of both releases, in milliseconds.
pub(crate) const SHORTEST_TIMEOUT: i64 = 30_000;

/// How a run goes.
#[derive(Clone, Copy)]
enum Course {
    AtOnce,
    /// A wait of so many milliseconds, at least and at most, after each step.
    Waits(i64, i64),
    Fails,
    Panics,
    Hangs,
}

const COURSES: &[(u64, Course)] = &[
    (700, Course::AtOnce),
    (200, Course::Waits(1_000, 20_000)),
    (60, LONG),
    (20, Course::Fails),
    (4, Course::Panics),
    (3, Course::Hangs),
];

/// Of the job that is handed back: only a shutdown in the middle of a run hands back.
const LONG_COURSES: &[(u64, Course)] = &[(500, Course::AtOnce), (200, Course::Waits(1_000, 20_000)), (300, LONG)];

const LONG: Course = Course::Waits(30_000, 120_000);

async fn work(job: usize, slot: Slot, desk: &Desk, clock: &JobClock, lease: &Lease) -> Result<(), Failed> {
    let mut run = desk.ledger.begin(job, slot, lease.run());
    // By the slot and the number of its start: no other draw moves it.
    let key = slot.unix_seconds().unsigned_abs() ^ (u64::from(run.nth()) << 40) ^ ((job as u64) << 48);
    let mut random = Random::new(mixed(desk.seed ^ mixed(key)));
    let course = random.pick(if NAMES[job] == "handed" { LONG_COURSES } else { COURSES });
    for step in 0..STEPS {
        desk.ledger.commits();
        let applied = desk.database.commit(NAMES[job], step, lease).await?;
        desk.ledger.committed(job, slot, lease.run(), step, applied);
        match course {
            Course::AtOnce => {}
            Course::Waits(shortest, longest) => {
                clock.sleep(Duration::from_millis(random.between(shortest, longest).unsigned_abs())).await;
            }
            Course::Fails => {
                run.ends(Way::Returned);
                return Err(Failed::Domain);
            }
            Course::Panics => {
                run.ends(Way::Panicked);
                // Without the hook that prints it.
                std::panic::resume_unwind(Box::new("the job's own"))
            }
            Course::Hangs => std::future::pending().await,
        }
    }
    run.ends(Way::Returned);
    Ok(())
}

/// A virtual clock whose short waits are all two seconds: the jittered waits between two questions are random, and a seed must repeat a
/// simulation. A wait may end late.
pub(crate) struct Coarse<C>(pub(crate) C);

impl<C: Clock> Clock for Coarse<C> {
    fn now(&self) -> SystemTime {
        self.0.now()
    }

    fn sleep(&self, duration: Duration) -> crate::BoxFuture<'static, ()> {
        self.0.sleep(duration.max(Duration::from_secs(2)))
    }
}
