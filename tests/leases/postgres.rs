//! The suite on PostgreSQL.

mod engine {
    pub(super) use crate::engines::postgres::{engine_test, sql};
    use std::time::Duration;
    pub(super) use steadfast::postgres::{Lease, Tx};

    use sqlx::postgres::PgPoolOptions;
    pub(super) use sqlx::{PgConnection as Connection, PgPool as Pool};
    pub(super) use steadfast::PostgresLeases as Leases;
    pub(super) use steadfast_tests::postgres::Database;

    /// A replica's own pool.
    pub(super) async fn replica(database: &Database) -> Pool {
        PgPoolOptions::new().max_connections(2).connect_with(database.options()).await.unwrap()
    }

    /// A pool of one connection, for everything.
    pub(super) async fn single(database: &Database) -> Pool {
        PgPoolOptions::new().max_connections(1).connect_with(database.options()).await.unwrap()
    }

    /// A pool of a server that is down.
    pub(super) fn unreachable() -> Pool {
        let options = steadfast_tests::postgres::server().port(1).password("hunter2");
        PgPoolOptions::new().acquire_timeout(Duration::from_millis(300)).connect_lazy_with(options)
    }

    pub(super) const UNREACHABLE: steadfast::jobs::LeaseErrorKind = steadfast::jobs::LeaseErrorKind::ConnectionLost;

    /// The row as somebody may have edited it.
    pub(super) const EDIT: &str = "INSERT INTO jobs_leases (name, last_slot, lease_until, lease_ms, holder, prev_slot) \
         VALUES ($1, $2, $3, $4, 'somebody', NULL) ON CONFLICT (name) DO UPDATE SET last_slot = excluded.last_slot, \
         lease_until = excluded.lease_until, lease_ms = excluded.lease_ms, holder = excluded.holder";

    pub(super) const SCHEMA: &str = steadfast::schema::leases::POSTGRES;

    /// What changes with every write or lock of the row.
    pub(super) async fn version(connection: &mut Connection) -> String {
        sqlx::query_scalar("SELECT string_agg(concat_ws(' ', name, xmin, xmax, ctid), ',') FROM jobs_leases")
            .fetch_one(connection)
            .await
            .unwrap()
    }

    /// The table without its constraints, as somebody might have made it by hand.
    pub(super) const LOOSE: &str = "CREATE TABLE jobs_leases (name TEXT PRIMARY KEY, last_slot BIGINT, lease_until BIGINT, \
                             lease_ms BIGINT, holder TEXT, prev_slot BIGINT, paused_at BIGINT, pause_reason TEXT)";

    /// A schema that is there.
    pub(super) async fn schema(pool: &Pool) -> String {
        sqlx::query("CREATE SCHEMA ops").execute(pool).await.unwrap();
        "ops".to_owned()
    }

    pub(super) use sqlx::Postgres as Engine;
}

#[path = "by_hand.rs"]
mod by_hand;

#[path = "fence.rs"]
mod fence;

#[path = "history.rs"]
mod history;

#[path = "notes.rs"]
mod notes;

#[path = "suite.rs"]
mod suite;

#[path = "table.rs"]
mod table;

/// The claim is a statement of its own, so a pool that begins SERIALIZABLE only makes some claimers ask again.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "needs PostgreSQL: tests/run"]
async fn a_serializable_pool_has_one_winner_too() {
    use steadfast::jobs::{Claim, LEASE_MARGIN, LeaseErrorKind, RunId};
    use steadfast::{LeaseStore as _, Slot, clock::SystemClock};

    let database = engine::Database::create().await;
    let options = database.options().options([("default_transaction_isolation", "serializable")]);
    let pool = sqlx::postgres::PgPoolOptions::new().max_connections(16).connect_with(options).await.unwrap();
    let leases = engine::Leases::new(&pool);
    leases.install().await.unwrap();
    let slot = Slot::floor(std::time::SystemTime::now());
    let claimers: Vec<_> = (0..16)
        .map(|_| {
            let leases = leases.clone();
            tokio::spawn(async move {
                let run = RunId::random();
                loop {
                    match leases.claim(&Claim::new("job", slot, LEASE_MARGIN, &run, &SystemClock)).await {
                        Ok(claimed) => return claimed.is_won(),
                        Err(error) => assert_eq!(error.kind(), LeaseErrorKind::Contention, "{error}"),
                    }
                }
            })
        })
        .collect();
    let mut winners = 0;
    for claimer in claimers {
        winners += i32::from(claimer.await.unwrap());
    }
    assert_eq!(winners, 1);
}

/// The row is locked by somebody while the claim waits for it.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "needs PostgreSQL: tests/run"]
async fn a_claim_that_waited_for_the_row_longer_than_clocks_may_differ_loses() {
    use std::time::Duration;

    use steadfast::jobs::{Claim, LEASE_MARGIN, LeaseErrorKind, RunId};
    use steadfast::{LeaseStore as _, Slot, clock::SystemClock};

    let database = engine::Database::create().await;
    let leases = engine::Leases::new(database.pool()).clock_tolerance(Duration::from_millis(500));
    leases.install().await.unwrap();
    let now = Slot::floor(std::time::SystemTime::now());
    let last = Slot::from_unix_seconds(now.unix_seconds() - 60);
    let (first, second) = (RunId::random(), RunId::random());
    assert!(leases.claim(&Claim::new("job", last, LEASE_MARGIN, &first, &SystemClock)).await.unwrap().is_won());
    leases.release("job", first.as_str()).await.unwrap();

    let mut lock = database.pool().begin().await.unwrap();
    sqlx::query("SELECT 1 FROM jobs_leases FOR UPDATE").execute(&mut *lock).await.unwrap();
    let claim = Claim::new("job", now, LEASE_MARGIN, &second, &SystemClock);
    let (claimed, ()) = tokio::join!(leases.claim(&claim), async {
        tokio::time::sleep(Duration::from_secs(1)).await;
        lock.rollback().await.unwrap();
    });
    assert!(!claimed.unwrap().is_won());

    // Longer than anybody waits: an error, not a job that never runs again.
    let mut lock = database.pool().begin().await.unwrap();
    sqlx::query("LOCK TABLE jobs_leases").execute(&mut *lock).await.unwrap();
    let claim = Claim::new("job", now, LEASE_MARGIN, &second, &SystemClock);
    for asked in
        [leases.claim(&claim).await.map(drop), leases.release("job", first.as_str()).await, leases.check().await]
    {
        assert_eq!(asked.unwrap_err().kind(), LeaseErrorKind::ConnectionLost);
    }
    lock.rollback().await.unwrap();
    assert!(leases.claim(&claim).await.unwrap().is_won());
}
