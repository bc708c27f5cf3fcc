//! The suite on PostgreSQL.

macro_rules! engine_test {
    ($(#[$meta:meta])* async fn $name:ident() $body:block) => {
        $(#[$meta])*
        #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
        #[ignore = "needs PostgreSQL: tests/run"]
        async fn $name() $body
    };
}

mod engine {
    use std::time::Duration;

    use sqlx::postgres::PgPoolOptions;
    pub(super) use sqlx::{PgConnection as Connection, PgPool as Pool};
    pub(super) use steadfast::PostgresLeases as Leases;
    pub(super) use steadfast_tests::postgres::Database;

    /// A replica's own pool.
    pub(super) async fn replica(database: &Database) -> Pool {
        PgPoolOptions::new().max_connections(2).connect_with(database.options()).await.unwrap()
    }

    /// A pool of a server that is down.
    pub(super) fn unreachable() -> Pool {
        let options = steadfast_tests::postgres::server().port(1).password("hunter2");
        PgPoolOptions::new().acquire_timeout(Duration::from_millis(300)).connect_lazy_with(options)
    }

    pub(super) const UNREACHABLE: steadfast::jobs::LeaseErrorKind = steadfast::jobs::LeaseErrorKind::ConnectionLost;

    /// What changes with every write or lock of the row.
    pub(super) async fn version(connection: &mut Connection) -> String {
        sqlx::query_scalar("SELECT string_agg(concat_ws(' ', name, xmin, xmax, ctid), ',') FROM jobs_leases")
            .fetch_one(connection)
            .await
            .unwrap()
    }

    /// The table without its constraints, as somebody might have made it by hand.
    pub(super) const LOOSE: &str = "CREATE TABLE jobs_leases (name TEXT PRIMARY KEY, last_slot BIGINT, lease_until BIGINT, \
                             lease_ms BIGINT, holder TEXT, prev_slot BIGINT)";
}

#[path = "suite.rs"]
mod suite;

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
