//! What the jobs do: each leaves rows by which the supervisor sees who was at work when, by the database's clock.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use sqlx::PgPool;
use steadfast::{
    Classify, JobClock, Kind, UnitFailure, atomic_unit,
    postgres::{Lease, Tx},
};
use steadfast_tests::chaos::{Event, Removed, Settings, Told};
use tokio::{sync::Mutex, task::JoinSet};

/// How often a run says that it is alive.
const BEAT: Duration = Duration::from_secs(10);
/// How long a unit takes.
const UNIT: Duration = Duration::from_secs(10);

#[derive(Debug, thiserror::Error, Classify)]
pub(crate) enum Error {
    #[error(transparent)]
    #[classify(transparent)]
    Db(#[from] sqlx::Error),
    #[error(transparent)]
    #[classify(transparent)]
    Unit(#[from] UnitFailure),
}

#[derive(Clone)]
pub(crate) struct Work {
    db: PgPool,
    pub(crate) settings: Arc<Settings>,
    /// Tasks that no run's end ends.
    detached: Arc<Mutex<JoinSet<()>>>,
}

impl Work {
    pub(crate) fn new(db: PgPool, settings: Settings) -> Self {
        Self { db, settings: Arc::new(settings), detached: Arc::default() }
    }

    /// At work for a while.
    pub(crate) async fn plain(&self, lease: &Lease, clock: &JobClock) -> Result<(), Error> {
        let _slow = self.expected(self.settings.plain, "chaos.plain", lease);
        self.mark("chaos.plain", lease, "start").await?;
        self.beat("chaos.plain", lease, clock, self.settings.plain).await
    }

    /// The same, with a lease that has to be renewed meanwhile.
    pub(crate) async fn for_long(&self, lease: &Lease, clock: &JobClock) -> Result<(), Error> {
        let _slow = self.expected(self.settings.heartbeat, "chaos.heartbeat", lease);
        self.mark("chaos.heartbeat", lease, "start").await?;
        self.beat("chaos.heartbeat", lease, clock, self.settings.heartbeat).await
    }

    /// A unit, in a task of its own: work that goes on when its run was cut off, as a blocking call or a queued one does.
    pub(crate) async fn write(
        &self,
        job: &'static str,
        lease: &Lease,
        clock: &JobClock,
        wait: Duration,
    ) -> Result<(), Error> {
        let _slow = self.expected(wait + UNIT, job, lease);
        self.mark(job, lease, "start").await?;
        let (db, fenced, held, time) = (self.db.clone(), !self.lacks(Removed::Fence), lease.clone(), clock.clone());
        let row =
            Row { job, slot: lease.slot().unix_millis(), run: lease.run().to_owned(), replica: self.settings.number };
        let (done, mut written) = tokio::sync::oneshot::channel();
        self.detached.lock().await.spawn(async move {
            time.sleep(wait).await;
            let written = if fenced {
                write(&db, &row, &time, &held).await
            } else {
                write_without_a_fence(&db, &row, &time).await
            };
            let what = match &written {
                Ok(()) => Event::Applied,
                Err(Error::Unit(failure)) if failure.kind() == Kind::LeaseLost => Event::Fenced,
                Err(_) => Event::Failed,
            };
            tell(what, job, row.slot, &row.run);
            // Nobody waits for it when the run was cut off.
            let _ = done.send(written);
        });
        loop {
            tokio::select! {
                written = &mut written => {
                    // The sender is gone without a word only when the runtime ends.
                    written.unwrap_or(Ok(()))?;
                    return self.mark(job, lease, "end").await;
                }
                () = clock.sleep(BEAT) => self.mark(job, lease, "beat").await?,
            }
        }
    }

    pub(crate) async fn what_outlives_its_run_has_ended(&self) {
        while self.detached.lock().await.join_next().await.is_some() {}
    }

    fn expected(&self, length: Duration, job: &'static str, lease: &Lease) -> Slow<'static> {
        Slow::after(length, self.settings.clock.speed, job, lease.slot().unix_millis(), lease.run())
    }

    fn lacks(&self, protection: Removed) -> bool {
        self.settings.removed == Some(protection)
    }

    async fn beat(&self, job: &str, lease: &Lease, clock: &JobClock, length: Duration) -> Result<(), Error> {
        let mut left = length;
        while let Some(less) = left.checked_sub(BEAT) {
            clock.sleep(BEAT).await;
            self.mark(job, lease, "beat").await?;
            left = less;
        }
        clock.sleep(left).await;
        self.mark(job, lease, "end").await
    }

    /// In a transaction of its own, as anything that is not fenced.
    async fn mark(&self, job: &str, lease: &Lease, what: &str) -> Result<(), Error> {
        sqlx::query("INSERT INTO marks (job, slot, run, replica, what) VALUES ($1, $2, $3, $4, $5)")
            .bind(job)
            .bind(lease.slot().unix_millis())
            .bind(lease.run())
            .bind(self.settings.number)
            .bind(what)
            .execute(&self.db)
            .await?;
        Ok(())
    }
}

/// Tells of what took longer than it does, also where it is cut off. Not the library's doing, but what a busy machine looks like: the
/// supervisor has to know that from a run that was lost.
pub(crate) struct Slow<'a> {
    job: &'a str,
    slot: i64,
    run: String,
    since: Instant,
    limit: Duration,
}

impl<'a> Slow<'a> {
    /// After a quarter of a minute more.
    pub(crate) fn after(length: Duration, speed: u32, job: &'a str, slot: i64, run: &str) -> Self {
        let limit = (length + Duration::from_secs(15)) / speed;
        Self { job, slot, run: run.to_owned(), since: Instant::now(), limit }
    }
}

impl Drop for Slow<'_> {
    fn drop(&mut self) {
        if self.since.elapsed() > self.limit {
            tell(Event::Slow, self.job, self.slot, &self.run);
        }
    }
}

/// What a unit writes.
struct Row {
    job: &'static str,
    slot: i64,
    run: String,
    replica: i32,
}

/// It takes its time, so that it is struck in the middle.
#[atomic_unit(retry = never, fence = lease)]
async fn write(tx: &mut Tx<'_>, row: &Row, clock: &JobClock, lease: &Lease) -> Result<(), Error> {
    insert(tx, row).await?;
    clock.sleep(UNIT).await;
    Ok(())
}

/// A control. It cannot even name a lease: the compiler asks for the fence then.
#[atomic_unit(retry = never)]
async fn write_without_a_fence(tx: &mut Tx<'_>, row: &Row, clock: &JobClock) -> Result<(), Error> {
    insert(tx, row).await?;
    clock.sleep(UNIT).await;
    Ok(())
}

#[steadfast::repository]
async fn insert(tx: &mut Tx<'_>, row: &Row) -> Result<(), Error> {
    sqlx::query("INSERT INTO writes (job, slot, run, replica) VALUES ($1, $2, $3, $4)")
        .bind(row.job)
        .bind(row.slot)
        .bind(&row.run)
        .bind(row.replica)
        .execute(&mut *tx)
        .await?;
    Ok(())
}

/// A line that is written whole, and is there when the process is killed after it.
pub(crate) fn tell(what: Event, job: &str, slot: i64, run: &str) {
    println!("{}", Told { what, job: job.to_owned(), slot, run: run.to_owned() });
}
