//! docs/rules.md#a-lost-connection-needs-an-answer: a policy that replays what may have been applied.

#![allow(unused)]

use steadfast::{atomic_unit, sqlite::Tx};
use steadfast_tests::shop::BillingError;

mod retry {
    pub use steadfast::policy::*;
}

#[atomic_unit(retry = transient)]
async fn append_event(tx: &mut Tx<'_>, trial: i64) -> Result<(), BillingError> {
    Ok(())
}

#[atomic_unit(retry = steadfast::policy::transient)]
async fn append_note(tx: &mut Tx<'_>, trial: i64) -> Result<(), BillingError> {
    Ok(())
}

struct Log<T>(T);

impl<T: Sync> Log<T> {
    #[atomic_unit(retry = transient)]
    async fn append<K: Clone + Send>(&self, tx: &mut Tx<'_>, key: K) -> Result<(), BillingError> {
        Ok(())
    }
}

fn main() {}
