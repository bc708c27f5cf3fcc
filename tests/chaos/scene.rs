//! A database, a clock, and what the replicas on them have told.

use std::{
    env,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use sqlx::{AssertSqlSafe, PgPool, postgres::PgConnectOptions};
use steadfast::PostgresLeases;
use steadfast_tests::{chaos::Event, postgres::Database, proxy::Proxy, sped_up::SpedUp};

use super::{
    ledger,
    replica::{Heard, Seat},
};

/// The variable with libfaketime's library.
const FAKETIME: &str = "STEADFAST_FAKETIME";

pub(super) struct Scene {
    pub(super) clock: SpedUp,
    database: Database,
    folder: tempfile::TempDir,
    faketime: String,
    told: Arc<Mutex<Vec<Heard>>>,
}

impl Scene {
    /// On this server, with minutes of this length.
    pub(super) async fn on(server: PgConnectOptions, minute: Duration) -> Self {
        let faketime = env::var(FAKETIME)
            .unwrap_or_else(|_| panic!("{FAKETIME} is not set: run `tests/run`, which installs libfaketime"));
        let (clock, database) = (SpedUp::with_minutes_of(minute), Database::on(server, 4).await);
        let leases = PostgresLeases::new(database.pool()).database_clock(AssertSqlSafe(clock.in_sql()));
        leases.install().await.expect("a fresh schema");
        ledger::create(database.pool(), clock).await.expect("a fresh schema");
        let folder = tempfile::tempdir().expect("a temporary folder");
        Self { clock, database, folder, faketime, told: Arc::default() }
    }

    /// A place for a replica: its way to the database and its wall clock.
    pub(super) async fn seat(&self, number: i32) -> Seat {
        let proxy = Proxy::before(&self.database.options()).await;
        let database = proxy.options(&self.database.options());
        let schema = self.database.schema().to_owned();
        let clock = self.folder.path().join(format!("clock-{number}"));
        Seat { proxy, database, schema, clock, faketime: self.faketime.clone(), told: Arc::clone(&self.told) }
    }

    pub(super) fn pool(&self) -> &PgPool {
        self.database.pool()
    }

    pub(super) fn told(&self) -> MutexGuard<'_, Vec<Heard>> {
        self.told.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How many claims of a job a replica was given an answer to.
    pub(super) fn answers(&self, replica: i32, job: &str) -> usize {
        self.count(|heard| heard.is_of(replica, job) && heard.told.what.is_answer())
    }

    /// How often a replica has told this of a job.
    pub(super) fn events(&self, replica: i32, job: &str, what: Event) -> usize {
        self.count(|heard| heard.is_of(replica, job) && heard.told.what == what)
    }

    fn count(&self, is_so: impl Fn(&Heard) -> bool) -> usize {
        self.told().iter().filter(|heard| is_so(heard)).count()
    }

    /// How many marks there are of a replica; 0 while the server is away.
    pub(super) async fn marks(&self, replica: i32, job: &str) -> i64 {
        let counted =
            sqlx::query_scalar("SELECT count(*) FROM marks WHERE job = $1 AND replica = $2").bind(job).bind(replica);
        counted.fetch_one(self.pool()).await.unwrap_or_default()
    }

    /// Looks until it is so.
    pub(super) async fn until(&self, what: &str, mut is_so: impl AsyncFnMut() -> bool) {
        let begun = Instant::now();
        while !is_so().await {
            assert!(begun.elapsed() < Duration::from_mins(1), "it never came about: {what}");
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }
}
