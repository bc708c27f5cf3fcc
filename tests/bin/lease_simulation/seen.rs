//! A store whose questions and answers are put on record, at both ends of a connection: what a replica asks, and what the store did.

use std::sync::{
    Arc,
    atomic::{AtomicI64, Ordering},
};

use steadfast::{
    LeaseStore, Slot,
    clock::Clock as _,
    jobs::{Claim, Claimed, LeaseError, LeaseRow},
    testing::VirtualClock,
};

use crate::{
    BoxFuture,
    database::Database,
    ledger::{Ledger, millis},
};

/// Nobody runs a job by hand here.
pub(crate) fn slot_of(claim: &Claim<'_>) -> i64 {
    claim.slot_millis().expect("a slot")
}

/// What a replica asks.
pub(crate) struct Asked<S> {
    pub(crate) store: S,
    pub(crate) ledger: Arc<Ledger>,
    pub(crate) replica: usize,
}

impl<S: LeaseStore> LeaseStore for Asked<S> {
    fn check(&self) -> BoxFuture<'_, Result<(), LeaseError>> {
        self.store.check()
    }

    fn claim<'a>(&'a self, claim: &'a Claim<'a>) -> BoxFuture<'a, Result<Claimed, LeaseError>> {
        self.ledger.asked(claim.name(), slot_of(claim), claim.run(), self.replica);
        self.store.claim(claim)
    }

    fn holds<'a>(&'a self, name: &'a str, token: i64, run: &'a str) -> BoxFuture<'a, Result<bool, LeaseError>> {
        self.store.holds(name, token, run)
    }

    fn renew<'a>(&'a self, claim: &'a Claim<'a>, token: i64) -> BoxFuture<'a, Result<bool, LeaseError>> {
        self.store.renew(claim, token)
    }

    fn hand_back<'a>(&'a self, name: &'a str, slot: Slot, run: &'a str) -> BoxFuture<'a, Result<(), LeaseError>> {
        self.store.hand_back(name, slot, run)
    }

    fn pause<'a>(&'a self, name: &'a str, reason: &'a str) -> BoxFuture<'a, Result<(), LeaseError>> {
        self.store.pause(name, reason)
    }

    fn resume<'a>(&'a self, name: &'a str) -> BoxFuture<'a, Result<(), LeaseError>> {
        self.store.resume(name)
    }

    fn row<'a>(&'a self, name: &'a str) -> BoxFuture<'a, Result<Option<LeaseRow>, LeaseError>> {
        self.store.row(name)
    }

    fn database(&self) -> Option<&'static str> {
        self.store.database()
    }

    fn release<'a>(&'a self, name: &'a str, run: &'a str) -> BoxFuture<'a, Result<(), LeaseError>> {
        self.store.release(name, run)
    }
}

/// What the store did. It sets the database's clock before it asks.
pub(crate) struct Applied {
    store: Arc<dyn LeaseStore>,
    database: Database,
    ledger: Arc<Ledger>,
    time: VirtualClock,
    shown: AtomicI64,
}

impl Applied {
    pub(crate) fn new(database: &Database, ledger: &Arc<Ledger>, time: VirtualClock) -> Self {
        let (store, database, ledger) = (database.leases(), database.clone(), Arc::clone(ledger));
        Self { store, database, ledger, time, shown: AtomicI64::new(0) }
    }

    async fn store(&self) -> &dyn LeaseStore {
        let now = millis(self.time.now());
        if self.shown.swap(now, Ordering::Relaxed) != now {
            self.database.set_clock(now).await;
        }
        &*self.store
    }
}

impl LeaseStore for Applied {
    fn check(&self) -> BoxFuture<'_, Result<(), LeaseError>> {
        Box::pin(async { self.store().await.check().await })
    }

    fn claim<'a>(&'a self, claim: &'a Claim<'a>) -> BoxFuture<'a, Result<Claimed, LeaseError>> {
        Box::pin(async {
            let claimed = self.store().await.claim(claim).await?;
            let won = claimed.lost.map_or(Ok(claim.lease_millis()), Err);
            self.ledger.answered(claim.name(), slot_of(claim), claim.run(), won);
            Ok(claimed)
        })
    }

    fn holds<'a>(&'a self, name: &'a str, token: i64, run: &'a str) -> BoxFuture<'a, Result<bool, LeaseError>> {
        Box::pin(async move { self.store().await.holds(name, token, run).await })
    }

    fn renew<'a>(&'a self, claim: &'a Claim<'a>, token: i64) -> BoxFuture<'a, Result<bool, LeaseError>> {
        Box::pin(async move {
            let renewed = self.store().await.renew(claim, token).await?;
            if renewed {
                self.ledger.renewed(claim.name(), token, claim.run(), claim.lease_millis());
            }
            Ok(renewed)
        })
    }

    fn hand_back<'a>(&'a self, name: &'a str, slot: Slot, run: &'a str) -> BoxFuture<'a, Result<(), LeaseError>> {
        Box::pin(async move {
            self.store().await.hand_back(name, slot, run).await?;
            self.ledger.handed_back(name, slot.unix_millis(), run);
            Ok(())
        })
    }

    fn pause<'a>(&'a self, name: &'a str, reason: &'a str) -> BoxFuture<'a, Result<(), LeaseError>> {
        Box::pin(async move { self.store().await.pause(name, reason).await })
    }

    fn resume<'a>(&'a self, name: &'a str) -> BoxFuture<'a, Result<(), LeaseError>> {
        Box::pin(async move { self.store().await.resume(name).await })
    }

    fn row<'a>(&'a self, name: &'a str) -> BoxFuture<'a, Result<Option<LeaseRow>, LeaseError>> {
        Box::pin(async move { self.store().await.row(name).await })
    }

    /// The jobs take their lease as one of SQLite. The stores in memory stand for its database: the simulated units ask them.
    fn database(&self) -> Option<&'static str> {
        Some(<sqlx::Sqlite as sqlx::Database>::NAME)
    }

    fn release<'a>(&'a self, name: &'a str, run: &'a str) -> BoxFuture<'a, Result<(), LeaseError>> {
        Box::pin(async move {
            self.store().await.release(name, run).await?;
            self.ledger.released(name, run);
            Ok(())
        })
    }
}
