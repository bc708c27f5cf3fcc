//! `#[atomic_unit]`

use std::time::Duration;

use sea_orm::ConnectionTrait as _;
use sqlx::SqlitePool;
use steadfast::{Classify, Kind, UnitFailure, atomic_unit, sqlite::Tx};
use steadfast_tests::shop::BillingError;

use super::{close, closed, shop};

// twin of: unit_keys, declaration_form
#[atomic_unit(retry = contention, idempotent = set_state, allow(retry, sleep, spawn))]
async fn all_keys(tx: &mut Tx<'_>, trial: i64) -> Result<(), BillingError> {
    close(tx, trial).await
}

// twin of: unit_begin
#[atomic_unit(retry = contention, isolation = serializable, read_only, begin = deferred, attempt_timeout = "5s")]
async fn read_consistently(tx: &mut Tx<'_>, trial: i64) -> Result<bool, BillingError> {
    Ok(sqlx::query_scalar("select closed = 1 from trials where id = $1").bind(trial).fetch_one(&mut *tx).await?)
}

#[allow(dead_code)] // compiled: it is the default
#[atomic_unit(retry = contention, begin = immediate)]
async fn close_at_once(tx: &mut Tx<'_>, trial: i64) -> Result<(), BillingError> {
    close(tx, trial).await
}

// twin of: unit_begin_elsewhere
#[allow(dead_code)] // compiled: there is no PostgreSQL here
#[atomic_unit(retry = contention, isolation = repeatable_read)]
async fn close_books(tx: &mut steadfast::postgres::Tx<'_>) -> Result<(), BillingError> {
    sqlx::query("select 1").execute(&mut *tx).await?;
    Ok(())
}

// twin of: unit_resolve_elsewhere
#[allow(dead_code)]
#[atomic_unit(retry = transient, in_doubt = resolve)]
async fn append_event(tx: &mut steadfast::postgres::Tx<'_>) -> Result<(), BillingError> {
    sqlx::query("select 1").execute(&mut *tx).await?;
    Ok(())
}

// twin of: unit_batch, unit_batch_receipt
#[allow(dead_code)] // compiled: it runs in workerd, `tests/run --worker`
#[atomic_unit(retry = transient, idempotent = client_id(key), attempt_timeout = "5s")]
async fn send_batch(tx: &mut steadfast::d1::Tx<'_>, key: &str) -> Result<(), BillingError> {
    tx.execute("insert into mails (key) values (?1) on conflict do nothing", &[key.into()])
        .map_err(|_| BillingError::Unknown(0))?;
    Ok(())
}

// twin of: unit_receipt, unit_receipt_result
#[derive(serde::Serialize, serde::Deserialize)]
struct Order {
    trial: i64,
}

#[atomic_unit(retry = transient, idempotent = receipt(key))]
async fn place_order(tx: &mut Tx<'_>, key: &str, trial: i64) -> Result<Order, BillingError> {
    close(tx, trial).await?;
    Ok(Order { trial })
}

// twin of: unit_without_retry
#[atomic_unit(retry = never)]
async fn no_retry(tx: &mut Tx<'_>, trial: i64) -> Result<(), BillingError> {
    close(tx, trial).await
}

// twin of: unit_not_async
trait Trials {
    async fn close(&self, trial: i64) -> Result<(), BillingError>;
}

// twin of: unit_mut_argument
struct Shop {
    db: SqlitePool,
}

impl Trials for Shop {
    #[atomic_unit(retry = contention, pool = self.db)]
    async fn close(&self, tx: &mut Tx<'_>, trial: i64) -> Result<(), BillingError> {
        close(tx, trial).await
    }
}

#[atomic_unit(retry = contention)]
async fn close_all(tx: &mut Tx<'_>, mut open: Vec<i64>) -> Result<Vec<i64>, BillingError> {
    let mut closed = Vec::new();
    while let Some(trial) = open.pop() {
        close(tx, trial).await?;
        closed.push(trial);
    }
    Ok(closed)
}

// twin of: unit_no_result
#[atomic_unit(retry = contention)]
async fn open_trials(tx: &mut Tx<'_>) -> Result<Box<dyn Iterator<Item = i64> + Send>, BillingError> {
    let open: Vec<i64> = sqlx::query_scalar("select id from trials where closed = 0").fetch_all(&mut *tx).await?;
    Ok(Box::new(open.into_iter()))
}

// twin of: unit_result_alias
type Billed<T> = Result<T, BillingError>;

#[atomic_unit(retry = contention)]
async fn aliased(tx: &mut Tx<'_>, trial: i64) -> Billed<()> {
    close(tx, trial).await
}

// twin of: unit_error_without_classify, unit_error_without_unit_failure
#[derive(Debug, thiserror::Error, Classify)]
enum TrialError {
    #[error(transparent)]
    #[classify(transparent)]
    Billing(#[from] BillingError),
    #[error(transparent)]
    #[classify(transparent)]
    Unit(#[from] UnitFailure),
}

#[atomic_unit(retry = contention)]
async fn own_error(tx: &mut Tx<'_>, trial: i64) -> Result<(), TrialError> {
    Ok(close(tx, trial).await?)
}

// twin of: unit_without_tx, unit_second_tx, unit_owned_tx
#[atomic_unit(retry = contention)]
async fn one_transaction(transaction: &mut Tx<'_>, trial: i64) -> Result<(), BillingError> {
    close(transaction, trial).await
}

// twin of: unit_called_with_tx
async fn below(tx: &mut Tx<'_>, trial: i64) -> Result<(), BillingError> {
    close(tx, trial).await
}

#[atomic_unit(retry = contention)]
async fn both(tx: &mut Tx<'_>) -> Result<(), BillingError> {
    below(tx, 1).await?;
    below(tx, 2).await
}

// twin of: unit_spawns
async fn spawned_after(db: SqlitePool) -> Result<(), BillingError> {
    no_retry(&db, 3).await?;
    tokio::spawn(async move { no_retry(&db, 1).await }).await.unwrap()
}

// twin of: unit_pool_argument
#[atomic_unit(retry = contention)]
async fn pool_is_the_callers(tx: &mut Tx<'_>, limit: i64) -> Result<i64, BillingError> {
    Ok(sqlx::query_scalar("select count(*) from trials where id <= $1").bind(limit).fetch_one(&mut *tx).await?)
}

#[atomic_unit(retry = contention)]
async fn orm_on_the_transaction(tx: &mut Tx<'_>) -> Result<u64, crate::units::members::Error> {
    Ok(tx.orm().execute_unprepared("update trials set note = 'by sea-orm'").await?.rows_affected())
}

// twin of: unit_connection_lost, unit_answers
#[atomic_unit(retry = transient, idempotent = read)]
async fn reads(tx: &mut Tx<'_>) -> Result<i64, BillingError> {
    Ok(sqlx::query_scalar("select count(*) from trials").fetch_one(&mut *tx).await?)
}

#[atomic_unit(retry = transient, idempotent = set_state)]
async fn sets(tx: &mut Tx<'_>, trial: i64) -> Result<(), BillingError> {
    close(tx, trial).await
}

#[atomic_unit(retry = transient, in_doubt = fail)]
async fn appends(tx: &mut Tx<'_>, note: &str) -> Result<(), BillingError> {
    sqlx::query("insert into trials (note) values ($1)").bind(note).execute(&mut *tx).await?;
    Ok(())
}

#[atomic_unit(retry = contention)]
async fn appends_without_an_answer(tx: &mut Tx<'_>, note: &str) -> Result<(), BillingError> {
    sqlx::query("insert into trials (note) values ($1)").bind(note).execute(&mut *tx).await?;
    Ok(())
}

// twin of: unit_client_id
#[atomic_unit(retry = transient, idempotent = client_id(trial))]
async fn keyed(tx: &mut Tx<'_>, trial: i64) -> Result<(), BillingError> {
    sqlx::query("insert into trials (id) values ($1) on conflict do nothing").bind(trial).execute(&mut *tx).await?;
    Ok(())
}

// twin of: unit_fence
#[atomic_unit(retry = contention, fence = lease)]
async fn fenced(tx: &mut Tx<'_>, trial: i64, lease: &steadfast::sqlite::Lease) -> Result<(), BillingError> {
    let _slot = lease.slot();
    super::close(tx, trial).await
}

#[derive(steadfast::Provide)]
struct FencedApp {
    db: sqlx::SqlitePool,
}

#[steadfast::job(name = "wall.fenced", cron = "0 3 * * *", exclusive, timeout = "5m")]
async fn calls_fenced(
    _: steadfast::Slot,
    db: &sqlx::SqlitePool,
    lease: &steadfast::sqlite::Lease,
) -> Result<(), BillingError> {
    fenced(db, 1, lease).await
}

steadfast::registry! { static FENCED for FencedApp = [calls_fenced]; }

#[tokio::test]
async fn a_unit_may_be_fenced_by_the_lease_of_its_job() {
    let shop = super::shop().await;
    let leases = steadfast::SqliteLeases::new(shop.pool());
    leases.install().await.unwrap();
    let jobs = FENCED.with(FencedApp { db: shop.pool().clone() }).leases(leases);
    let slot = steadfast::Slot::floor(std::time::SystemTime::now());
    assert!(steadfast::testing::run(&jobs, "wall.fenced", slot).await.unwrap().is_completed());
    assert_eq!(super::closed(&shop).await, 1);
}

struct Invoices;

impl Invoices {
    fn retry(&self, trial: i64) -> i64 {
        trial
    }
}

// twin of: unit_inline_retry, unit_ticker
#[atomic_unit(retry = contention, allow(retry, sleep))]
async fn own_words(tx: &mut Tx<'_>, trial: i64) -> Result<(), BillingError> {
    for _ in 0..2 {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    tokio::time::interval(Duration::from_millis(1)).tick().await;
    close(tx, Invoices.retry(trial)).await
}

struct Note(String);

// twin of: unit_argument_not_clone
#[atomic_unit(retry = contention)]
async fn by_reference(tx: &mut Tx<'_>, trial: i64, note: &Note) -> Result<(), BillingError> {
    sqlx::query("update trials set note = $1 where id = $2").bind(&note.0).bind(trial).execute(&mut *tx).await?;
    Ok(())
}

// twin of: all_mistakes_at_once, broken_item_stays
#[atomic_unit(retry = contention)]
async fn all_mended(tx: &mut Tx<'_>, trials: &[i64]) -> Result<Vec<i64>, BillingError> {
    let mut closed = Vec::new();
    for trial in trials {
        close(tx, *trial).await?;
        closed.push(*trial);
    }
    Ok(closed)
}

#[tokio::test]
async fn every_legal_form_of_a_unit_commits() {
    let database = shop().await;
    let db = database.pool();
    all_keys(db, 1).await.unwrap();
    assert!(read_consistently(db, 1).await.unwrap());
    steadfast::Receipts::new(db).install().await.unwrap();
    assert_eq!(place_order(db, "key", 1).await.unwrap().trial, 1);
    assert_eq!(place_order(db, "key", 2).await.unwrap().trial, 1);
    Shop { db: db.clone() }.close(2).await.unwrap();
    assert_eq!(open_trials(db).await.unwrap().collect::<Vec<_>>(), [3]);
    assert_eq!(close_all(db, vec![1, 2, 3]).await.unwrap(), [3, 2, 1]);
    assert_eq!(closed(&database).await, 3);
    aliased(db, 1).await.unwrap();
    own_error(db, 1).await.unwrap();
    one_transaction(db, 1).await.unwrap();
    both(db).await.unwrap();
    spawned_after(db.clone()).await.unwrap();
    assert_eq!((pool_is_the_callers(db, 2).await.unwrap(), reads(db).await.unwrap()), (2, 3));
    assert_eq!(orm_on_the_transaction(db).await.unwrap(), 3);
    sets(db, 1).await.unwrap();
    appends(db, "first").await.unwrap();
    appends_without_an_answer(db, "second").await.unwrap();
    keyed(db, 1).await.unwrap();
    own_words(db, 1).await.unwrap();
    by_reference(db, 1, &Note("third".into())).await.unwrap();
    assert_eq!(all_mended(db, &[2, 3]).await.unwrap(), [2, 3]);
    assert_eq!(reads(db).await.unwrap(), 5);
}

#[tokio::test]
async fn a_failure_rolls_back_and_is_the_users_own() {
    let database = shop().await;
    let error = all_mended(database.pool(), &[1, 99]).await.unwrap_err();
    assert!(matches!(error, BillingError::Unknown(99)), "{error}");
    let error = own_error(database.pool(), 99).await.unwrap_err();
    assert!(matches!(error, TrialError::Billing(BillingError::Unknown(99))), "{error}");
    assert_eq!(closed(&database).await, 0);
}

/// The compiler refuses a unit that is called with a transaction; one that is called with a pool fails, and says so.
#[atomic_unit(retry = contention)]
async fn calls_another(tx: &mut Tx<'_>, trials: &Shop) -> Result<(), BillingError> {
    close(tx, 1).await?;
    trials.close(2).await
}

#[tokio::test]
async fn a_unit_inside_of_a_unit_does_not_run() {
    let database = shop().await;
    let shop = Shop { db: database.pool().clone() };
    let error = calls_another(database.pool(), &shop).await.unwrap_err();
    assert!(matches!(&error, BillingError::Unit(failure) if failure.kind() == Kind::Nested), "{error}");
    assert_eq!(closed(&database).await, 0);
}
