//! Keys of receipts, which MySQL's collations and its modes would take for others.

use steadfast::{Kind, Outcome, Receipts, atomic_unit, mysql::Tx};

use super::database;
use crate::engines::{Error, Runs, mysql::session};

#[atomic_unit(retry = transient, idempotent = receipt(key))]
async fn keyed(tx: &mut Tx<'_>, key: &str, runs: &Runs) -> Result<u32, Error> {
    sqlx::query("update hot set n = n + 1 where id = 1").execute(&mut *tx).await?;
    Ok(runs.count())
}

#[tokio::test]
#[ignore = "needs MariaDB: tests/run"]
async fn keys_are_told_apart_byte_by_byte() {
    let database = database().await;
    Receipts::new(database.pool()).install().await.unwrap();
    let runs = Runs::default();
    for (expected, key) in (1..).zip(["a", "A", "a ", "ä", "a\0"]) {
        assert_eq!(keyed(database.pool(), key, &runs).await.unwrap(), expected, "{key:?}");
    }
    assert_eq!(keyed(database.pool(), "a ", &runs).await.unwrap(), 3);
    assert_eq!(runs.total(), 5);
}

/// Outside of strict mode the server would cut both to the same one.
#[tokio::test]
#[ignore = "needs MariaDB: tests/run"]
async fn a_key_that_is_too_long_is_refused() {
    let database = database().await;
    Receipts::new(database.pool()).install().await.unwrap();
    let pool = session(&database, 1, "set session sql_mode = ''").await;
    let runs = Runs::default();
    keyed(&pool, &"k".repeat(1024), &runs).await.unwrap();
    for end in ["1", "2"] {
        let failure = keyed(&pool, &("k".repeat(1024) + end), &runs).await.unwrap_err().unit();
        assert_eq!((failure.kind(), failure.outcome()), (Kind::Other, Outcome::NotApplied));
    }
    assert_eq!(runs.total(), 1);
}
