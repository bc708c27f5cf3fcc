//! When the machine itself stood still: no replica could claim in time then, whatever the library does.

use std::{
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use sqlx::PgPool;
use steadfast_tests::sped_up::SpedUp;
use tokio::task::JoinHandle;

use super::MINUTE;

/// A task that looks at the clock and at the database all the time.
pub(super) struct Stalls {
    seen: Arc<Mutex<Vec<(i64, i64)>>>,
    looking: JoinHandle<()>,
}

impl Stalls {
    pub(super) fn watch(clock: SpedUp, pool: PgPool) -> Self {
        let seen = Arc::<Mutex<Vec<(i64, i64)>>>::default();
        let noted = Arc::clone(&seen);
        let looking = tokio::spawn(async move {
            loop {
                let before = clock.millis();
                tokio::time::sleep(Duration::from_millis(5)).await;
                let answered = sqlx::query("SELECT 1").execute(&pool).await.is_ok();
                let after = clock.millis();
                // A claim is refused when it takes half a minute; this is a part of what one does. A server that is away is a fault.
                if answered && after - before > MINUTE / 4 {
                    noted.lock().unwrap_or_else(PoisonError::into_inner).push((before, after));
                }
            }
        });
        Self { seen, looking }
    }

    /// From and until, in the clock's milliseconds.
    pub(super) fn seen(&self) -> Vec<(i64, i64)> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Drop for Stalls {
    fn drop(&mut self) {
        self.looking.abort();
    }
}
