//! The history of runs in a table of the application's own database.

use std::{
    collections::HashMap,
    error::Error as StdError,
    fmt, io,
    sync::{Arc, Mutex, PoisonError, atomic::AtomicBool},
    time::{Duration, SystemTime},
};

use sqlx::{ColumnIndex, Database, Decode, Encode, Error, Executor, IntoArguments, Pool, Row as _, SqlStr, Type};

use super::{Recorded, RecordsRuns};
use crate::{
    Classify as _,
    jobs::{
        Slot,
        lease::{LeaseEngine, Value, millis, time},
    },
    platform::BoxFuture,
    schema::{self, InvalidTableName, Table},
    sql::assembled,
};

const TABLE: &str = "jobs_runs";
/// How long rows are kept if nothing is said: 30 days.
const KEPT: Duration = Duration::from_hours(30 * 24);
/// How often the old rows of a job are deleted.
const PRUNED_EVERY: Duration = Duration::from_hours(1);
/// How long [`RunHistory::install`] asks again while others are in the way.
const INSTALL_PATIENCE: Duration = Duration::from_secs(10);
/// The longest wait for a connection; a pool may say less.
const LONGEST_WAIT: Duration = Duration::from_secs(5);

/// What the history asks of its database engine.
pub trait HistoryEngine: LeaseEngine {
    /// The text of the table.
    #[doc(hidden)]
    const RUNS: &'static str;

    /// What makes the INSERT of a row an UPDATE.
    #[doc(hidden)]
    const OVER: &'static str;

    /// The rows of a job: name, limit.
    #[doc(hidden)]
    fn recent(
        connection: &mut Self::Connection,
        statement: &SqlStr,
        name: &str,
        limit: i64,
    ) -> impl Future<Output = Result<Vec<RunRecord>, Error>> + Send;
}

/// The table `jobs_runs`: which runs of which jobs began, when, by what, and how they ended. For people and for a console; nothing is
/// decided by it: runs that cannot be recorded are told in one warning, until one can, and run all the same.
///
/// ```
/// # use sqlx::sqlite::SqlitePoolOptions;
/// use std::{convert::Infallible, time::{Duration, SystemTime}};
/// use steadfast::{Provide, Slot, job, jobs::RunHistory, registry};
///
/// #[job(cron = "0 3 * * *", timeout = "5m", name = "greetings.daily")]
/// async fn greet(_slot: Slot) -> Result<(), Infallible> { Ok(()) }
///
/// #[derive(Provide)]
/// struct App {}
/// registry! { static JOBS for App = [greet]; }
///
/// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
/// # let pool = SqlitePoolOptions::new().max_connections(1).connect("sqlite::memory:").await?;
/// let history = RunHistory::new(&pool).keep(Duration::from_hours(7 * 24));
/// history.install().await?;                // or run `steadfast::schema::runs::SQLITE` with your migrations
/// let jobs = JOBS.with(App {}).history(&history);
/// jobs.fire("greetings.daily", SystemTime::now()).await?;
///
/// let runs = history.recent("greetings.daily", 10).await?;
/// assert_eq!(runs[0].outcome.as_deref(), Some("completed"));
/// # Ok::<(), Box<dyn std::error::Error>>(()) }).unwrap();
/// ```
pub struct RunHistory<DB: HistoryEngine> {
    pool: Pool<DB>,
    table: Table,
    keep: Duration,
    statements: Statements,
    /// When which job's old rows were last deleted, in milliseconds since the epoch.
    pruned: Arc<Mutex<HashMap<&'static str, i64>>>,
    fails: Arc<AtomicBool>,
}

#[derive(Clone)]
struct Statements {
    record: SqlStr,
    recent: SqlStr,
    prune: SqlStr,
    prune_job: SqlStr,
}

impl Statements {
    fn new<DB: HistoryEngine>(table: &str) -> Self {
        const COLUMNS: &str = "name, started_at, run, slot, started_by, ended_at, outcome, error";
        let [m1, m2, m3, m4, m5, m6, m7, m8] = std::array::from_fn(|index| DB::mark(index + 1));
        let over = DB::OVER;
        Self {
            record: assembled(format!(
                "INSERT INTO {table} ({COLUMNS}) VALUES ({m1}, {m2}, {m3}, {m4}, {m5}, {m6}, {m7}, {m8}) {over}"
            )),
            recent: assembled(format!(
                "SELECT {COLUMNS} FROM {table} WHERE name = {m1} ORDER BY started_at DESC, run LIMIT {m2}"
            )),
            prune: assembled(format!("DELETE FROM {table} WHERE started_at < {m1}")),
            prune_job: assembled(format!("DELETE FROM {table} WHERE name = {m1} AND started_at < {m2}")),
        }
    }
}

impl<DB: HistoryEngine> RunHistory<DB> {
    /// The history in this pool's database; the pool is shared, not copied.
    #[must_use]
    pub fn new(pool: &Pool<DB>) -> Self {
        Self::named(pool.clone(), Table::ours(TABLE), KEPT)
    }

    fn named(pool: Pool<DB>, table: Table, keep: Duration) -> Self {
        let statements = Statements::new::<DB>(&table.quoted(DB::QUOTE));
        Self { pool, table, keep, statements, pruned: Arc::default(), fails: Arc::default() }
    }

    /// Another name of the table than `jobs_runs`, with its schema in front if it is not where the connections look.
    ///
    /// # Errors
    /// What is not one or two of `[a-z_][a-z0-9_]*`, each of at most 63 bytes.
    pub fn table(self, name: &str) -> Result<Self, InvalidTableName> {
        Ok(Self::named(self.pool, Table::parse(name)?, self.keep))
    }

    /// How long rows are kept, 30 days if nothing is said. About once an hour the run of a job deletes the job's older ones.
    #[must_use]
    pub fn keep(mut self, keep: Duration) -> Self {
        self.keep = keep;
        self
    }

    /// The table as SQL, under its name: what [`install`](Self::install) runs.
    #[must_use]
    pub fn schema(&self) -> String {
        schema::named(DB::RUNS, TABLE, &self.table.quoted(DB::QUOTE))
    }

    /// Creates the table if it is not there. Safe from many replicas at once, and safe to call at every start: a role that may not CREATE
    /// is refused only where the table is missing. A schema must be there.
    ///
    /// # Errors
    /// What the database refused; what others were in the way of only after 10 s.
    pub async fn install(&self) -> Result<(), Error> {
        let begun = tokio::time::Instant::now();
        loop {
            match self.try_install().await {
                Err(error) if in_the_way(&error) && begun.elapsed() < INSTALL_PATIENCE => {
                    tokio::time::sleep(Duration::from_millis(rand::random_range(1..=20))).await;
                }
                done => return done,
            }
        }
    }

    async fn try_install(&self) -> Result<(), Error> {
        if self.recent("", 1).await.is_ok() {
            return Ok(());
        }
        let mut connection = DB::acquire(&self.pool).await?;
        DB::create(&mut connection, self.schema()).await?;
        drop(connection);
        self.recent("", 1).await.map(drop)
    }

    /// The latest runs of a job, the latest first; none of a name that no job has or had.
    ///
    /// # Errors
    /// What the database refused.
    pub async fn recent(&self, name: &str, limit: u32) -> Result<Vec<RunRecord>, Error> {
        let mut connection = DB::acquire(&self.pool).await?;
        DB::recent(&mut connection, &self.statements.recent, name, limit.into()).await
    }

    /// Deletes what is older than it is kept, also of jobs that are in no registry any more.
    ///
    /// # Errors
    /// What the database refused.
    pub async fn prune(&self) -> Result<(), Error> {
        let before = millis(SystemTime::now()).saturating_sub(self.kept());
        let mut connection = DB::acquire(&self.pool).await?;
        DB::write(&mut connection, &self.statements.prune, &[Value::Number(before)]).await
    }

    fn kept(&self) -> i64 {
        i64::try_from(self.keep.as_millis()).unwrap_or(i64::MAX)
    }

    /// In bounded time, since the end of a run may wait for it.
    async fn write(&self, statement: &SqlStr, values: &[Value<'_>]) -> Result<(), Error> {
        let silent = || Error::Io(io::ErrorKind::TimedOut.into());
        let acquired = tokio::time::timeout(LONGEST_WAIT, DB::acquire(&self.pool)).await;
        let mut connection = acquired.map_err(|_| silent())??;
        if let Some(answer) = DB::in_time(DB::write(&mut connection, statement, values)).await {
            return answer;
        }
        connection.close_on_drop();
        Err(silent())
    }

    /// Is it time to delete the job's old rows?
    fn prunes(&self, job: &'static str, now: i64) -> bool {
        let every = i64::try_from(PRUNED_EVERY.as_millis()).unwrap_or(i64::MAX);
        let mut pruned = self.pruned.lock().unwrap_or_else(PoisonError::into_inner);
        // A clock that was set back makes it time, too.
        let due = pruned.get(job).is_none_or(|last| now.abs_diff(*last) >= every.unsigned_abs());
        if due {
            pruned.insert(job, now);
        }
        due
    }

    async fn put(&self, row: &Recorded) -> Result<(), Error> {
        let end = row.end.as_ref();
        let values = [
            Value::Text(row.job),
            Value::Number(row.started),
            Value::Text(&row.run),
            Value::Number(row.slot),
            Value::Text(row.trigger.as_str()),
            Value::MaybeNumber(end.map(|end| end.at)),
            Value::MaybeText(end.map(|end| end.outcome)),
            Value::MaybeText(end.and_then(|end| end.error.as_deref())),
        ];
        self.write(&self.statements.record, &values).await?;
        if let Some(end) = end.filter(|end| self.prunes(row.job, end.at)) {
            let before = end.at.saturating_sub(self.kept());
            self.write(&self.statements.prune_job, &[Value::Text(row.job), Value::Number(before)]).await?;
        }
        Ok(())
    }
}

impl<DB: HistoryEngine> RecordsRuns for RunHistory<DB> {
    fn record(&self, row: Recorded) -> BoxFuture<'_, Result<(), Box<dyn StdError + Send + Sync>>> {
        Box::pin(async move { Ok(self.put(&row).await?) })
    }

    fn fails(&self) -> &AtomicBool {
        &self.fails
    }
}

impl<DB: HistoryEngine> Clone for RunHistory<DB> {
    fn clone(&self) -> Self {
        Self {
            pool: self.pool.clone(),
            table: self.table.clone(),
            keep: self.keep,
            statements: self.statements.clone(),
            pruned: Arc::clone(&self.pruned),
            fails: Arc::clone(&self.fails),
        }
    }
}

/// Without the pool: its options may hold a secret.
impl<DB: HistoryEngine> fmt::Debug for RunHistory<DB> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RunHistory")
            .field("table", &self.table.as_str())
            .field("keep", &self.keep)
            .finish_non_exhaustive()
    }
}

/// A run of a job, as the history has it. Shown, it is one line:
/// `billing.close of 2026-01-02T03:00:00Z, begun by timer, failed after 1.204s: the bank is closed`.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct RunRecord {
    /// The job.
    pub job: String,
    /// The slot that it was called with.
    pub slot: Slot,
    /// The id of the run: of an exclusive job, the holder of the lease.
    pub run: String,
    /// What made it begin, a text of [`Trigger::as_str`](crate::jobs::Trigger::as_str).
    pub started_by: String,
    /// When it was called, by the clock of the process.
    pub started_at: SystemTime,
    /// When it ended; `None` while it runs, and for good when its process was killed.
    pub ended_at: Option<SystemTime>,
    /// How it ended, a text of [`RunOutcome::as_str`](crate::RunOutcome::as_str).
    pub outcome: Option<String>,
    /// What the log says of a failure or a panic, without what a database says of a row's values.
    pub error: Option<String>,
}

/// The job, its slot, what made it begin, and how and after how long it ended.
impl fmt::Display for RunRecord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { job, slot, started_by, started_at, ended_at, outcome, error, .. } = self;
        write!(f, "{job} of {slot}, begun by {started_by}, ")?;
        let Some(ended_at) = ended_at else { return f.write_str("has not ended") };
        let outcome = outcome.as_deref().unwrap_or("ended");
        // A clock that was set back in between says nothing of how long it took.
        match ended_at.duration_since(*started_at) {
            Ok(took) => write!(f, "{outcome} after {took:?}")?,
            Err(_) => f.write_str(outcome)?,
        }
        error.as_ref().map_or(Ok(()), |error| write!(f, ": {error}"))
    }
}

fn in_the_way(error: &Error) -> bool {
    error.failure().is_some_and(|failure| failure.kind.is_contention())
}

async fn recent<DB>(
    connection: &mut DB::Connection,
    statement: &SqlStr,
    name: &str,
    limit: i64,
) -> Result<Vec<RunRecord>, Error>
where
    DB: Database,
    for<'c> &'c mut DB::Connection: Executor<'c, Database = DB>,
    DB::Arguments: IntoArguments<DB>,
    for<'c> &'c str: ColumnIndex<DB::Row>,
    for<'v> i64: Type<DB> + Encode<'v, DB> + Decode<'v, DB>,
    for<'v> String: Type<DB> + Encode<'v, DB> + Decode<'v, DB>,
{
    let rows = sqlx::query::<DB>(statement.clone()).bind(name.to_owned()).bind(limit).fetch_all(connection).await?;
    let record = |row: DB::Row| {
        Ok(RunRecord {
            job: row.try_get("name")?,
            slot: Slot::from_unix_millis(row.try_get("slot")?),
            run: row.try_get("run")?,
            started_by: row.try_get("started_by")?,
            started_at: time(row.try_get("started_at")?),
            ended_at: row.try_get::<Option<i64>, _>("ended_at")?.map(time),
            outcome: row.try_get("outcome")?,
            error: row.try_get("error")?,
        })
    };
    rows.into_iter().map(record).collect()
}

macro_rules! engine {
    ($feature:literal, $database:ident, $schema:ident, $over:expr) => {
        #[cfg(feature = $feature)]
        impl HistoryEngine for sqlx::$database {
            const RUNS: &'static str = schema::runs::$schema;
            const OVER: &'static str = $over;

            async fn recent(
                connection: &mut Self::Connection,
                statement: &SqlStr,
                name: &str,
                limit: i64,
            ) -> Result<Vec<RunRecord>, Error> {
                recent::<Self>(connection, statement, name, limit).await
            }
        }
    };
}

#[cfg(any(feature = "sqlite", feature = "postgres"))]
const ON_CONFLICT: &str = "ON CONFLICT (name, started_at, run) DO UPDATE SET ended_at = excluded.ended_at, \
                           outcome = excluded.outcome, error = excluded.error";

engine!("sqlite", Sqlite, SQLITE, ON_CONFLICT);
engine!("postgres", Postgres, POSTGRES, ON_CONFLICT);
engine!(
    "mysql",
    MySql,
    MYSQL,
    "ON DUPLICATE KEY UPDATE ended_at = VALUES(ended_at), outcome = VALUES(outcome), error = VALUES(error)"
);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_is_one_line() {
        let at = |millis| SystemTime::UNIX_EPOCH + Duration::from_millis(millis);
        let running = RunRecord {
            job: "billing.close".to_owned(),
            slot: Slot::from_unix_seconds(1_767_322_800),
            run: "r".to_owned(),
            started_by: "timer".to_owned(),
            started_at: at(1_000),
            ended_at: None,
            outcome: None,
            error: None,
        };
        let told = |record: &RunRecord| {
            let told = record.to_string();
            told.strip_prefix("billing.close of 2026-01-02T03:00:00Z, begun by timer, ").unwrap().to_owned()
        };
        let ended = RunRecord { ended_at: Some(at(2_204)), outcome: Some("completed".to_owned()), ..running.clone() };
        let failed = RunRecord {
            outcome: Some("failed".to_owned()),
            error: Some("the bank is closed".to_owned()),
            ..ended.clone()
        };
        let set_back = RunRecord { started_at: at(3_000), ..failed.clone() };
        assert_eq!(told(&running), "has not ended");
        assert_eq!(told(&ended), "completed after 1.204s");
        assert_eq!(told(&failed), "failed after 1.204s: the bank is closed");
        assert_eq!(told(&set_back), "failed: the bank is closed");
    }
}
