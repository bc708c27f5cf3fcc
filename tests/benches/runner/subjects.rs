//! The runners that are measured. A job does nothing but tell that it began.

use std::{
    cmp::Reverse,
    collections::BinaryHeap,
    convert::Infallible,
    str::FromStr as _,
    sync::OnceLock,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use apalis_core::worker::builder::WorkerBuilder;
use apalis_cron::{CronScheduler, Tick};
use futures_core::future::BoxFuture;
use steadfast::{
    Registry, Slot,
    clock::{Clock, SystemClock},
    job,
    jobs::{Entry, NoLeases},
};
use tokio_cron_scheduler::{Job, JobScheduler};

use crate::tally;

/// When the jobs are due.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Pace {
    EveryMinute,
    EveryFiveSeconds,
}

impl Pace {
    /// With seconds, as the peers want it.
    const fn cron(self) -> &'static str {
        match self {
            Self::EveryMinute => "0 * * * * *",
            Self::EveryFiveSeconds => "*/5 * * * * *",
        }
    }

    const fn period(self) -> Duration {
        match self {
            Self::EveryMinute => Duration::from_mins(1),
            Self::EveryFiveSeconds => Duration::from_secs(5),
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Subject {
    Floor,
    Ours,
    Apalis,
    TokioCronScheduler,
}

impl Subject {
    /// The floor first.
    pub(crate) const ALL: [Self; 4] = [Self::Floor, Self::Ours, Self::Apalis, Self::TokioCronScheduler];

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Floor => "heap and one sleep",
            Self::Ours => "steadfast",
            Self::Apalis => "apalis-cron",
            Self::TokioCronScheduler => "tokio-cron-scheduler",
        }
    }

    /// What is a constant of the program in an application is no memory of the runner's.
    pub(crate) fn prepare(self, jobs: usize) {
        if self == Self::Ours {
            entries(jobs);
        }
    }

    /// Starts so many jobs.
    pub(crate) async fn start(self, jobs: usize, pace: Pace) {
        match self {
            Self::Floor => floor(jobs, pace),
            Self::Ours => ours(jobs, pace),
            Self::Apalis => apalis(jobs, pace),
            Self::TokioCronScheduler => tokio_cron_scheduler(jobs, pace).await,
        }
    }
}

// --------------------------------------------------------------------------------------------------------------- the floor

fn floor(jobs: usize, pace: Pace) {
    let period = pace.period().as_secs();
    let after = move |time: SystemTime| {
        UNIX_EPOCH
            + Duration::from_secs(
                (time.duration_since(UNIX_EPOCH).expect("after 1970").as_secs() / period + 1) * period,
            )
    };
    let first = after(SystemTime::now());
    let mut heap: BinaryHeap<_> = (0..jobs).map(|index| Reverse((first, index))).collect();
    tokio::spawn(async move {
        loop {
            let next = heap.peek().expect("a job").0.0;
            tokio::time::sleep(next.duration_since(SystemTime::now()).unwrap_or_default()).await;
            while let Some(mut top) = heap.peek_mut().filter(|top| top.0.0 <= SystemTime::now()) {
                let due = top.0.0;
                top.0.0 = after(due);
                tokio::spawn(async move { tally::began(due) });
            }
        }
    });
}

// -------------------------------------------------------------------------------------------------------------------- ours

/// A minute of it is five seconds, from 1970 on: a slot is a multiple of five seconds.
struct TwelveTimes;

const SPEED: u32 = 12;

impl TwelveTimes {
    fn real(slot: Slot) -> SystemTime {
        UNIX_EPOCH + slot.time().duration_since(UNIX_EPOCH).expect("after 1970") / SPEED
    }
}

impl Clock for TwelveTimes {
    fn now(&self) -> SystemTime {
        UNIX_EPOCH + SystemTime::now().duration_since(UNIX_EPOCH).expect("after 1970") * SPEED
    }

    fn sleep(&self, duration: Duration) -> BoxFuture<'static, ()> {
        SystemClock.sleep(duration / SPEED)
    }
}

#[derive(steadfast::Provide)]
struct App {
    pace: Pace,
}

#[job(name = "due", cron = "* * * * *", timeout = "30s")]
async fn due(slot: Slot, pace: &Pace) -> Result<(), Infallible> {
    tally::began(if *pace == Pace::EveryMinute { slot.time() } else { TwelveTimes::real(slot) });
    Ok(())
}

/// `registry!` makes a static list; here it is as long as is wanted.
fn entries(jobs: usize) -> &'static [Entry<App>] {
    static ENTRIES: OnceLock<Vec<Entry<App>>> = OnceLock::new();
    ENTRIES.get_or_init(|| (0..jobs).map(|_| Entry::of::<due>()).collect())
}

fn ours(jobs: usize, pace: Pace) {
    let jobs = Registry::<App, NoLeases>::new(entries(jobs)).with(App { pace });
    let jobs = if pace == Pace::EveryMinute { jobs } else { jobs.clock(TwelveTimes) };
    tokio::spawn(async move { jobs.run_until(std::future::pending()).await });
}

// --------------------------------------------------------------------------------------------------------------- the peers

fn apalis(jobs: usize, pace: Pace) {
    for index in 0..jobs {
        let schedule = apalis_schedule(pace);
        tokio::spawn(async move {
            let worker = WorkerBuilder::new(format!("job-{index}")).backend(CronScheduler::new(schedule)).build(
                async |tick: Tick| {
                    tally::began(UNIX_EPOCH + Duration::from_secs(tick.get_timestamp()));
                },
            );
            worker.run().await.expect("it runs");
        });
    }
}

fn apalis_schedule(pace: Pace) -> cron::Schedule {
    cron::Schedule::from_str(pace.cron()).expect("a schedule")
}

async fn tokio_cron_scheduler(jobs: usize, pace: Pace) {
    let scheduler = JobScheduler::new().await.expect("a scheduler");
    for _ in 0..jobs {
        let job = Job::new_async(pace.cron(), |_, _| Box::pin(async { tally::began(tally::last_firing()) }));
        scheduler.add(job.expect("a job")).await.expect("it is added");
    }
    scheduler.start().await.expect("it starts");
}
