//! A store whose questions and answers are put on record, at both ends of a connection: what a replica asks, and what the store did.

use std::sync::{
    Arc,
    atomic::{AtomicI64, Ordering},
};

use steadfast::{
    LeaseStore, Slot,
    clock::Clock as _,
    jobs::{Claim, Claimed, LeaseError},
    testing::VirtualClock,
};

use crate::{
    BoxFuture,
    database::Database,
    ledger::{Ledger, millis},
};

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
        self.ledger.asked(claim.name(), claim.slot_millis(), claim.run(), self.replica);
        self.store.claim(claim)
    }

    fn holds<'a>(&'a self, name: &'a str, slot: Slot, run: &'a str) -> BoxFuture<'a, Result<bool, LeaseError>> {
        self.store.holds(name, slot, run)
    }

    fn renew<'a>(&'a self, claim: &'a Claim<'a>) -> BoxFuture<'a, Result<bool, LeaseError>> {
        self.store.renew(claim)
    }

    fn hand_back<'a>(&'a self, name: &'a str, slot: Slot, run: &'a str) -> BoxFuture<'a, Result<(), LeaseError>> {
        self.store.hand_back(name, slot, run)
    }

    fn last_slot<'a>(&'a self, name: &'a str) -> BoxFuture<'a, Result<Option<Slot>, LeaseError>> {
        self.store.last_slot(name)
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
            self.ledger.answered(claim.name(), claim.slot_millis(), claim.run(), won);
            Ok(claimed)
        })
    }

    fn holds<'a>(&'a self, name: &'a str, slot: Slot, run: &'a str) -> BoxFuture<'a, Result<bool, LeaseError>> {
        Box::pin(async move { self.store().await.holds(name, slot, run).await })
    }

    fn renew<'a>(&'a self, claim: &'a Claim<'a>) -> BoxFuture<'a, Result<bool, LeaseError>> {
        Box::pin(async {
            let renewed = self.store().await.renew(claim).await?;
            if renewed {
                self.ledger.renewed(claim.name(), claim.slot_millis(), claim.run(), claim.lease_millis());
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

    fn last_slot<'a>(&'a self, name: &'a str) -> BoxFuture<'a, Result<Option<Slot>, LeaseError>> {
        Box::pin(async move { self.store().await.last_slot(name).await })
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
