//! The table of receipts, as an application looks after it.

use std::{fmt, time::Duration};

use sqlx::Pool;

use super::{Engine, receipt::now};

/// The table `unit_receipts`: which units with `idempotent = receipt(…)` were applied, under which keys.
///
/// ```
/// # use sqlx::sqlite::SqlitePoolOptions;
/// use std::time::Duration;
/// use steadfast::Receipts;
/// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
/// # let pool = SqlitePoolOptions::new().max_connections(1).connect("sqlite::memory:").await?;
/// let receipts = Receipts::new(&pool);
/// receipts.install().await?;               // or run `steadfast::schema::receipts::SQLITE` with your migrations
/// // For example in a daily job: nobody replays a call of last month.
/// let pruned = receipts.prune(Duration::from_hours(30 * 24)).await?;
/// # assert_eq!(pruned, 0);
/// # Ok::<(), sqlx::Error>(()) }).unwrap();
/// ```
#[derive(Clone)]
pub struct Receipts<DB: Engine> {
    pool: Pool<DB>,
}

impl<DB: Engine> Receipts<DB> {
    /// The receipts in this pool's database; the pool is shared, not copied.
    #[must_use]
    pub fn new(pool: &Pool<DB>) -> Self {
        Self { pool: pool.clone() }
    }

    /// Creates the table if it is not there. Safe from many replicas at once, and safe to call at every start.
    ///
    /// # Errors
    ///
    /// What the database refused.
    pub async fn install(&self) -> Result<(), sqlx::Error> {
        DB::install_receipts(&self.pool).await
    }

    /// Deletes receipts of this age and more; how many. A call that is repeated after that runs its body again, so keep them
    /// for longer than any caller repeats.
    ///
    /// # Errors
    ///
    /// What the database refused.
    pub async fn prune(&self, age: Duration) -> Result<u64, sqlx::Error> {
        let age = i64::try_from(age.as_millis()).unwrap_or(i64::MAX);
        DB::prune_receipts(&self.pool, now().saturating_sub(age)).await
    }
}

/// Without the pool: its options may hold a password.
impl<DB: Engine> fmt::Debug for Receipts<DB> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Receipts")
    }
}
