//! docs/rules.md#repositories-never-retry: a unit or a provider call in a repository.

#![allow(unused)]

use steadfast::{atomic_unit, provider_call, repository, sqlite::Tx};
use steadfast_tests::shop::BillingError;

mod retry {
    pub use steadfast::policy::*;
}

struct Trials {
    db: sqlx::SqlitePool,
}

#[repository]
impl Trials {
    #[atomic_unit(retry = contention)]
    async fn close(&self, tx: &mut Tx<'_>, trial: i64) -> Result<(), BillingError> {
        Ok(())
    }

    #[provider_call(retry = never)]
    async fn notify(&self, trial: i64) -> Result<(), BillingError> {
        Ok(())
    }
}

fn main() {}
