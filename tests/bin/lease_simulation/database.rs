//! Where the leases are, and the application's rows: a store in memory, one that is broken on purpose, or SQLite.

use std::sync::Arc;

use sqlx::{SqlitePool, sqlite::SqlitePoolOptions};
use steadfast::{
    Kind, LeaseStore, SqliteLeases, atomic_unit,
    sqlite::{Lease, Tx},
    testing::{MemoryLeases, VirtualClock},
};

use crate::{
    broken::{Broken, Flaw},
    jobs::Failed,
    tally::Tally,
};

#[derive(Clone)]
pub(crate) enum Database {
    Memory(MemoryLeases),
    Broken(Broken),
    Sqlite(SqlitePool),
}

impl Database {
    pub(crate) fn memory(time: VirtualClock) -> Self {
        Self::Memory(MemoryLeases::new(time))
    }

    pub(crate) fn broken(time: VirtualClock, flaw: Flaw) -> Self {
        Self::Broken(Broken::new(time, flaw))
    }

    /// One connection: an SQLite database in memory is its connection's. And what one question has changed is on record before the next
    /// one is asked.
    pub(crate) async fn sqlite() -> Result<(Self, SqlitePool), Box<dyn std::error::Error>> {
        let pool = SqlitePoolOptions::new()
            .max_connections(1)
            .idle_timeout(None)
            .max_lifetime(None)
            .test_before_acquire(false)
            .connect("sqlite::memory:")
            .await?;
        SqliteLeases::new(&pool).install().await?;
        for table in [
            "create table true_time (now integer not null)",
            "insert into true_time values (0)",
            "create table steps (job text not null, slot integer not null, step integer not null, run text not null)",
        ] {
            sqlx::query(table).execute(&pool).await?;
        }
        // A task of this runtime, which nobody drives later, gives the connection back.
        while pool.num_idle() == 0 {
            tokio::task::yield_now().await;
        }
        Ok((Self::Sqlite(pool.clone()), pool))
    }

    pub(crate) fn leases(&self) -> Arc<dyn LeaseStore> {
        match self {
            Self::Memory(leases) => Arc::new(leases.clone()),
            Self::Broken(leases) => Arc::new(leases.clone()),
            Self::Sqlite(pool) => Arc::new(SqliteLeases::new(pool).database_clock("(select now from true_time)")),
        }
    }

    /// The database's clock shows this time, in milliseconds since the epoch. The stores in memory read the simulation's.
    pub(crate) async fn set_clock(&self, now: i64) {
        if let Self::Sqlite(pool) = self {
            let set = sqlx::query("update true_time set now = $1").bind(now).execute(pool).await;
            set.expect("a database in memory takes an update");
        }
    }

    /// Is the connection in use? sqlx answers from a thread of its own, and looks at the connection once more before it takes it back.
    pub(crate) fn is_at_work(&self) -> bool {
        matches!(self, Self::Sqlite(pool) if pool.num_idle() == 0)
    }

    /// A fenced unit of the job: was it applied?
    pub(crate) async fn commit(&self, job: &'static str, step: usize, lease: &Lease) -> Result<bool, Failed> {
        match self {
            // No `await`: it is one instant, of the one thread there is. As in a unit, expiry is no question.
            Self::Memory(leases) => {
                let holds = leases.holder(job).as_deref() == Some(lease.run());
                Ok(holds && leases.last_slot(job) == Some(lease.slot()))
            }
            Self::Broken(leases) => Ok(leases.fence(job, lease.slot(), lease.run())),
            Self::Sqlite(pool) => match write(pool, job, i64::try_from(step).unwrap_or(-1), lease).await {
                Ok(()) => Ok(true),
                Err(Failed::Unit(failure)) if failure.kind() == Kind::LeaseLost => Ok(false),
                Err(error) => Err(error),
            },
        }
    }
}

/// What was committed: the database's own word.
#[derive(Debug)]
pub(crate) struct Rows {
    all: u64,
    /// By run, slot and step.
    different: u64,
}

impl Rows {
    /// All that were acknowledged are there, once, and beside them only such as may have been committed in silence.
    pub(crate) fn are_those_of(&self, tally: &Tally) -> bool {
        let silent = self.all.checked_sub(tally.committed);
        self.all == self.different && silent.is_some_and(|silent| silent <= tally.unheard)
    }
}

pub(crate) async fn rows(pool: &SqlitePool) -> sqlx::Result<Rows> {
    let count = async |of: &'static str| -> sqlx::Result<u64> {
        let count: i64 = sqlx::query_scalar(of).fetch_one(pool).await?;
        Ok(count.unsigned_abs())
    };
    let different = "select count(*) from (select distinct job, slot, step, run from steps)";
    Ok(Rows { all: count("select count(*) from steps").await?, different: count(different).await? })
}

#[atomic_unit(retry = never, fence = lease)]
async fn write(tx: &mut Tx<'_>, job: &str, step: i64, lease: &Lease) -> Result<(), Failed> {
    sqlx::query("insert into steps values ($1, $2, $3, $4)")
        .bind(job)
        .bind(lease.slot().unix_seconds())
        .bind(step)
        .bind(lease.run())
        .execute(&mut *tx)
        .await?;
    Ok(())
}
