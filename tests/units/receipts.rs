//! Receipts: the suite that every engine passes.

use std::{sync::Arc, time::Duration};

use serde::{Deserialize, Serialize};
use steadfast::{Kind, Outcome, Receipts, atomic_unit};

use super::engine::{self, Database, Pool, Tx, engine_test};
use crate::engines::{Error, Runs};

async fn database() -> Database {
    let database = Database::create().await;
    Receipts::new(database.pool()).install().await.unwrap();
    sqlx::query("create table orders (id bigint not null, sum bigint not null)")
        .execute(database.pool())
        .await
        .unwrap();
    database
}

async fn rows(pool: &Pool, sql: &'static str) -> i64 {
    sqlx::query_scalar(sql).fetch_one(pool).await.unwrap()
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Placed {
    number: u32,
    note: Option<String>,
}

/// Appends: twice would be twice. `lose` throws the attempt away after its work, as a lost connection does.
#[atomic_unit(retry = transient, idempotent = receipt(key))]
async fn place(tx: &mut Tx<'_>, key: &str, sum: i64, runs: &Runs, lose: bool) -> Result<Placed, Error> {
    let number = runs.count();
    sqlx::query(engine::sql("insert into orders values (1, $1)")).bind(sum).execute(&mut *tx).await?;
    if lose && number == 1 {
        return Err(Error::Db(sqlx::Error::WorkerCrashed));
    }
    if sum < 0 {
        return Err(Error::Domain);
    }
    Ok(Placed { number, note: Some(key.to_uppercase()) })
}

engine_test! {
    /// The second call with the key runs no body and returns what the first one returned.
    async fn a_call_that_is_repeated_returns_what_was_recorded() {
        let database = database().await;
        let runs = Runs::default();
        let first = place(database.pool(), "a", 10, &runs, false).await.unwrap();
        assert_eq!(first, Placed { number: 1, note: Some("A".into()) });
        assert_eq!(place(database.pool(), "a", 99, &runs, false).await.unwrap(), first);
        assert_eq!(runs.total(), 1);
        assert_eq!(place(database.pool(), "b", 5, &runs, false).await.unwrap().number, 2);
        assert_eq!(rows(database.pool(), "select count(*) from orders").await, 2);
        assert_eq!(engine::inside_transaction(database.pool()).await, 0);
    }
}

engine_test! {
    /// A receipt is part of the transaction: what was rolled back has none.
    async fn what_was_not_applied_leaves_no_receipt() {
        let database = database().await;
        let runs = Runs::default();
        assert!(matches!(place(database.pool(), "a", -1, &runs, false).await, Err(Error::Domain)));
        assert_eq!(rows(database.pool(), "select count(*) from unit_receipts").await, 0);
        assert_eq!(place(database.pool(), "a", 1, &Runs::default(), true).await.unwrap().number, 2);
        assert_eq!(rows(database.pool(), "select count(*) from orders").await, 1);
    }
}

engine_test! {
    /// Two callers at once with one key: one body.
    async fn concurrent_calls_with_one_key_run_one_body() {
        let database = database().await;
        let runs = Arc::new(Runs::default());
        let calls: Vec<_> = (0..8)
            .map(|_| {
                let (pool, runs) = (database.pool().clone(), Arc::clone(&runs));
                tokio::spawn(async move { place(&pool, "same", 10, &runs, false).await })
            })
            .collect();
        for call in calls {
            assert_eq!(call.await.unwrap().unwrap().number, 1);
        }
        assert_eq!(runs.total(), 1);
        assert_eq!(rows(database.pool(), "select count(*) from orders").await, 1);
    }
}

engine_test! {
    async fn receipts_are_pruned_by_age() {
        let database = database().await;
        let runs = Runs::default();
        place(database.pool(), "a", 10, &runs, false).await.unwrap();
        let receipts = Receipts::new(database.pool());
        assert_eq!(receipts.prune(Duration::from_hours(1)).await.unwrap(), 0);
        sqlx::query("update unit_receipts set created_at = created_at - 3600001").execute(database.pool()).await.unwrap();
        assert_eq!(receipts.prune(Duration::from_hours(1)).await.unwrap(), 1);
        receipts.install().await.unwrap();
        assert_eq!(place(database.pool(), "a", 10, &runs, false).await.unwrap().number, 2);
    }
}

engine_test! {
    /// A deploy that changed the result's type: the unit was applied, and what it returned cannot be told.
    async fn a_result_that_cannot_be_read_is_in_doubt() {
        let database = database().await;
        let runs = Runs::default();
        place(database.pool(), "a", 10, &runs, false).await.unwrap();
        sqlx::query("update unit_receipts set result = '{}'").execute(database.pool()).await.unwrap();
        let failure = place(database.pool(), "a", 10, &runs, false).await.unwrap_err().unit();
        assert_eq!((failure.kind(), failure.outcome(), failure.attempts()), (Kind::Other, Outcome::InDoubt, 1));
        assert_eq!(runs.total(), 1);
    }
}

engine_test! {
    async fn a_missing_table_is_the_units_failure() {
        let database = Database::create().await;
        let runs = Runs::default();
        let failure = place(database.pool(), "a", 10, &runs, false).await.unwrap_err().unit();
        assert_eq!((failure.kind(), failure.outcome()), (Kind::Other, Outcome::NotApplied));
        assert_eq!(runs.total(), 0);
        assert_eq!(engine::inside_transaction(database.pool()).await, 0);
    }
}
