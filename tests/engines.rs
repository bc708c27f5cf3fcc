//! The engines under test, each under the same names, so that a suite is written once and run on all of them.

use std::{
    future::poll_fn,
    sync::atomic::{AtomicU32, Ordering},
    task::Poll,
    time::Duration,
};

use steadfast::{Classify, Kind, UnitFailure};

/// A test of a suite. Where it needs a server it says so, and `tests/run` runs it.
macro_rules! sqlite_test {
    ($(#[$meta:meta])* async fn $name:ident() $body:block) => {
        $(#[$meta])*
        #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
        async fn $name() $body
    };
}

macro_rules! postgres_test {
    ($(#[$meta:meta])* async fn $name:ident() $body:block) => {
        $(#[$meta])*
        #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
        #[ignore = "needs PostgreSQL: tests/run"]
        async fn $name() $body
    };
}

macro_rules! mysql_test {
    ($(#[$meta:meta])* async fn $name:ident() $body:block) => {
        $(#[$meta])*
        #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
        #[ignore = "needs MariaDB: tests/run"]
        async fn $name() $body
    };
}

pub(crate) use {mysql_test, postgres_test, sqlite_test};

/// A unit that reads from a snapshot: a row that has changed since cannot be written.
macro_rules! sqlite_snapshot_unit {
    ($($unit:tt)*) => {
        #[steadfast::atomic_unit(retry = hasty, begin = deferred)]
        $($unit)*
    };
}

macro_rules! server_snapshot_unit {
    ($($unit:tt)*) => {
        #[steadfast::atomic_unit(retry = hasty, isolation = repeatable_read)]
        $($unit)*
    };
}

pub(crate) use {server_snapshot_unit, sqlite_snapshot_unit};

/// The error type of the units under test.
#[derive(Debug, thiserror::Error, Classify)]
pub(crate) enum Error {
    #[error("the application says no")]
    Domain,
    #[error(transparent)]
    #[classify(transparent)]
    Db(#[from] sqlx::Error),
    #[error(transparent)]
    #[classify(transparent)]
    Unit(#[from] UnitFailure),
}

impl Error {
    /// The unit's failure.
    #[track_caller]
    pub(crate) fn unit(self) -> UnitFailure {
        match self {
            Self::Unit(failure) => failure,
            other => panic!("not a unit failure: {other:?}"),
        }
    }
}

/// How often a body ran.
#[derive(Debug, Default)]
pub(crate) struct Runs(AtomicU32);

impl Runs {
    pub(crate) fn count(&self) -> u32 {
        self.0.fetch_add(1, Ordering::Relaxed) + 1
    }

    pub(crate) fn total(&self) -> u32 {
        self.0.load(Ordering::Relaxed)
    }
}

/// Drops the future once it was polled so often: `None`, unless it was ready before. Each `await` in it is a place to be
/// cancelled at, with no timer to depend on.
pub(crate) async fn cancelled_after<F: Future>(polls: u32, future: F) -> Option<F::Output> {
    let mut future = Box::pin(future);
    let mut left = polls;
    poll_fn(|cx| match future.as_mut().poll(cx) {
        Poll::Ready(output) => Poll::Ready(Some(output)),
        Poll::Pending if left == 0 => Poll::Ready(None),
        Poll::Pending => {
            left -= 1;
            Poll::Pending
        }
    })
    .await
}

/// Drops the future as soon as it is so: `None`, unless it was ready before. Looks again and again, with no timer to depend on.
pub(crate) async fn cancelled_when<F: Future>(is_so: impl Fn() -> bool, future: F) -> Option<F::Output> {
    let becoming = async {
        while !is_so() {
            tokio::task::yield_now().await;
        }
    };
    tokio::select! {
        biased;
        output = future => Some(output),
        () = becoming => None,
    }
}

pub(crate) mod sqlite {
    pub(crate) use super::{sqlite_snapshot_unit as snapshot_unit, sqlite_test as engine_test};
    pub(crate) use sqlx::{SqliteExecutor as DbExecutor, SqlitePool as Pool};
    pub(crate) use steadfast::sqlite::Tx;
    pub(crate) use steadfast_tests::{proxy::Moment, sqlite::Database};

    use std::time::Instant;

    use sqlx::{
        ConnectOptions as _, SqliteConnection,
        sqlite::{SqliteJournalMode, SqlitePoolOptions},
    };
    use steadfast_tests::sqlite::options;

    use super::{Duration, Kind};

    pub(crate) const NAME: &str = "sqlite";

    /// A statement of the suite, with placeholders as this engine writes them: `$1`, `$2` in their order.
    pub(crate) const fn sql(text: &'static str) -> &'static str {
        text
    }

    /// A database whose pool has one connection.
    pub(crate) async fn one_connection() -> Database {
        Database::with(1, Duration::from_secs(1)).await
    }

    /// A pool on which contention is seen soon rather than waited out.
    pub(crate) async fn contended(database: &Database, connections: u32) -> Pool {
        database.another_pool(connections, Duration::from_millis(20)).await
    }

    /// What a `snapshot_unit` meets when its row has changed.
    pub(crate) const STALE: Kind = Kind::LockTimeout;

    /// A pool for a `snapshot_unit`.
    pub(crate) async fn snapshots(database: &Database) -> Pool {
        contended(database, 1).await
    }

    /// Keeps the answer of a BEGIN or COMMIT back: with a write lock, or with a reader and a rollback journal.
    pub(crate) struct Stall {
        rival: SqliteConnection,
        since: Instant,
    }

    impl Stall {
        /// Whether the statement must have been sent.
        pub(crate) fn is_met(&self) -> bool {
            // The engine has no wire to look at.
            self.since.elapsed() > Duration::from_millis(100)
        }

        pub(crate) async fn end(&mut self) {
            sqlx::raw_sql("rollback").execute(&mut self.rival).await.unwrap();
        }
    }

    /// A pool on which a unit gets no answer to the one or the other.
    pub(crate) async fn stalled(database: &Database, moment: Moment) -> (Stall, Pool) {
        let options = options(database.path(), Duration::from_secs(1));
        let (options, lock) = match moment {
            Moment::Begin => (options, "begin immediate"),
            Moment::Commit => {
                database.pool().close().await;
                (options.journal_mode(SqliteJournalMode::Delete), "begin; select * from events")
            }
            Moment::Claim => unreachable!("no unit claims"),
        };
        let mut rival = options.connect().await.unwrap();
        sqlx::raw_sql(lock).execute(&mut rival).await.unwrap();
        let pool = SqlitePoolOptions::new().max_connections(2).connect_lazy_with(options);
        (Stall { rival, since: Instant::now() }, pool)
    }

    /// How many of the pool's connections are inside a transaction.
    pub(crate) async fn inside_transaction(pool: &Pool) -> usize {
        let mut held = Vec::new();
        let mut inside = 0;
        for _ in 0..pool.options().get_max_connections() {
            let mut connection = pool.acquire().await.unwrap();
            // SQLite refuses a ROLLBACK outside of a transaction.
            if sqlx::raw_sql("rollback").execute(&mut *connection).await.is_ok() {
                inside += 1;
            }
            held.push(connection);
        }
        inside
    }
}

pub(crate) mod postgres {
    pub(crate) use super::{postgres_test as engine_test, server_snapshot_unit as snapshot_unit};
    pub(crate) use sqlx::{PgExecutor as DbExecutor, PgPool as Pool};
    pub(crate) use steadfast::postgres::Tx;
    pub(crate) use steadfast_tests::{postgres::Database, proxy::Moment};

    use sqlx::postgres::PgPoolOptions;
    use steadfast_tests::proxy::{Fate, Proxy};

    use super::Kind;

    pub(crate) const NAME: &str = "postgres";

    /// A statement of the suite, with placeholders as this engine writes them: `$1`, `$2` in their order.
    pub(crate) const fn sql(text: &'static str) -> &'static str {
        text
    }

    pub(crate) const CONNECTION_ID: &str = "select pg_backend_pid()::bigint";
    pub(crate) const SLEEP: &str = "select pg_sleep(5)";

    /// Kills a connection and waits until the server has let go of it.
    pub(crate) async fn kill(pool: &Pool, connection: i64) {
        let sql = "select pg_terminate_backend($1::int, 10000)";
        assert!(sqlx::query_scalar::<_, bool>(sql).bind(connection).fetch_one(pool).await.unwrap());
    }

    /// A database whose pool has one connection.
    pub(crate) async fn one_connection() -> Database {
        Database::with(1).await
    }

    /// A pool on which contention is seen: SERIALIZABLE.
    pub(crate) async fn contended(database: &Database, connections: u32) -> Pool {
        let options = database.options().options([("default_transaction_isolation", "serializable")]);
        PgPoolOptions::new().max_connections(connections).connect_with(options).await.unwrap()
    }

    /// What a `snapshot_unit` meets when its row has changed.
    pub(crate) const STALE: Kind = Kind::Serialization;

    /// A pool for a `snapshot_unit`.
    pub(crate) async fn snapshots(database: &Database) -> Pool {
        PgPoolOptions::new().max_connections(1).connect_with(database.options()).await.unwrap()
    }

    /// A pool whose COMMITs meet the scripted fates, in turn.
    pub(crate) async fn unlucky(database: &Database, fates: impl IntoIterator<Item = Fate>) -> (Proxy, Pool) {
        let options = database.options();
        let proxy = Proxy::before(&options).await;
        proxy.script(fates);
        let pool = PgPoolOptions::new().max_connections(2).connect_lazy_with(proxy.options(&options));
        (proxy, pool)
    }

    /// Keeps the answer of a BEGIN or COMMIT back.
    pub(crate) struct Stall {
        proxy: Proxy,
        moment: Moment,
    }

    impl Stall {
        /// Whether the statement has been sent.
        pub(crate) fn is_met(&self) -> bool {
            self.proxy.seen(self.moment) > 0
        }

        /// That one is never answered; those after it are.
        #[expect(clippy::unused_async, reason = "SQLite has something to do")]
        pub(crate) async fn end(&mut self) {}
    }

    /// A pool on which a unit gets no answer to the one or the other.
    pub(crate) async fn stalled(database: &Database, moment: Moment) -> (Stall, Pool) {
        let (proxy, pool) = unlucky(database, []).await;
        proxy.script_at(moment, [Fate::Stall]);
        (Stall { proxy, moment }, pool)
    }

    /// How many of the pool's connections are inside a transaction.
    pub(crate) async fn inside_transaction(pool: &Pool) -> usize {
        let mut held = Vec::new();
        let mut inside = 0;
        for _ in 0..pool.options().get_max_connections() {
            let mut connection = pool.acquire().await.unwrap();
            // Two statements outside of a transaction have two start times.
            let mut times = Vec::new();
            for _ in 0..2 {
                let now: String =
                    sqlx::query_scalar("select now()::text").fetch_one(&mut *connection).await.unwrap_or_default();
                times.push(now);
            }
            inside += usize::from(times[0] == times[1]);
            held.push(connection);
        }
        inside
    }
}

pub(crate) mod mysql {
    pub(crate) use super::{mysql_test as engine_test, server_snapshot_unit as snapshot_unit};
    pub(crate) use sqlx::{MySqlExecutor as DbExecutor, MySqlPool as Pool};
    pub(crate) use steadfast::mysql::Tx;
    pub(crate) use steadfast_tests::{mysql::Database, proxy::Moment};

    use sqlx::{AssertSqlSafe, Executor as _, mysql::MySqlPoolOptions};
    use steadfast_tests::proxy::{Fate, Proxy};

    use super::Kind;

    pub(crate) const NAME: &str = "mysql";

    /// A statement of the suite, with placeholders as this engine writes them: `?`.
    pub(crate) fn sql(text: &'static str) -> AssertSqlSafe<String> {
        let mut parts = text.split('$');
        let mut rewritten = parts.next().unwrap_or_default().to_owned();
        for (number, part) in (1..).zip(parts) {
            // Without numbers, only the order is left to say which is which.
            let rest = part.strip_prefix(&number.to_string()).unwrap_or_else(|| panic!("not in order: {text}"));
            rewritten.push('?');
            rewritten.push_str(rest);
        }
        AssertSqlSafe(rewritten)
    }

    pub(crate) const CONNECTION_ID: &str = "select cast(connection_id() as signed)";
    pub(crate) const SLEEP: &str = "select sleep(5)";

    /// Kills a connection and waits until the server has let go of it.
    pub(crate) async fn kill(pool: &Pool, connection: i64) {
        sqlx::query("kill ?").bind(connection).execute(pool).await.unwrap();
        let alive = "select count(*) from information_schema.processlist where id = ?";
        while sqlx::query_scalar::<_, i64>(alive).bind(connection).fetch_one(pool).await.unwrap() > 0 {
            tokio::task::yield_now().await;
        }
    }

    /// A database whose pool has one connection.
    pub(crate) async fn one_connection() -> Database {
        Database::with(1).await
    }

    /// A pool on which contention is seen: SERIALIZABLE, where what is read is locked.
    pub(crate) async fn contended(database: &Database, connections: u32) -> Pool {
        session(database, connections, "set session transaction isolation level serializable").await
    }

    /// A pool whose connections begin with a statement.
    pub(crate) async fn session(database: &Database, connections: u32, sql: &'static str) -> Pool {
        MySqlPoolOptions::new()
            .max_connections(connections)
            .after_connect(move |connection, _| Box::pin(async move { connection.execute(sql).await.map(drop) }))
            .connect_with(database.options())
            .await
            .unwrap()
    }

    /// What a `snapshot_unit` meets when its row has changed.
    pub(crate) const STALE: Kind = Kind::Serialization;

    /// A pool for a `snapshot_unit`.
    pub(crate) async fn snapshots(database: &Database) -> Pool {
        session(database, 1, "set session innodb_snapshot_isolation = on").await
    }

    /// A pool whose COMMITs meet the scripted fates, in turn.
    pub(crate) async fn unlucky(database: &Database, fates: impl IntoIterator<Item = Fate>) -> (Proxy, Pool) {
        let options = database.options();
        let proxy = Proxy::before(&options).await;
        proxy.script(fates);
        let pool = MySqlPoolOptions::new().max_connections(2).connect_lazy_with(proxy.options(&options));
        (proxy, pool)
    }

    /// Keeps the answer of a BEGIN or COMMIT back.
    pub(crate) struct Stall {
        proxy: Proxy,
        moment: Moment,
    }

    impl Stall {
        /// Whether the statement has been sent.
        pub(crate) fn is_met(&self) -> bool {
            self.proxy.seen(self.moment) > 0
        }

        /// That one is never answered; those after it are.
        #[expect(clippy::unused_async, reason = "SQLite has something to do")]
        pub(crate) async fn end(&mut self) {}
    }

    /// A pool on which a unit gets no answer to the one or the other.
    pub(crate) async fn stalled(database: &Database, moment: Moment) -> (Stall, Pool) {
        let (proxy, pool) = unlucky(database, []).await;
        proxy.script_at(moment, [Fate::Stall]);
        (Stall { proxy, moment }, pool)
    }

    /// How many of the pool's connections are inside a transaction.
    pub(crate) async fn inside_transaction(pool: &Pool) -> usize {
        let mut held = Vec::new();
        let mut inside = 0;
        for _ in 0..pool.options().get_max_connections() {
            let mut connection = pool.acquire().await.unwrap();
            let open: i64 = sqlx::query_scalar("select cast(@@in_transaction as signed)")
                .fetch_one(&mut *connection)
                .await
                .unwrap();
            inside += usize::from(open != 0);
            held.push(connection);
        }
        inside
    }
}
