//! `FaultyLeases` as a store: every question passes its faults.

use futures_core::future::BoxFuture;

use super::faults::{FaultyLeases, Question};
use crate::jobs::{Claim, Claimed, LeaseError, LeaseStore, Slot};

impl LeaseStore for FaultyLeases {
    fn check(&self) -> BoxFuture<'_, Result<(), LeaseError>> {
        Box::pin(self.put(Question::Check, || self.store().check()))
    }

    fn claim<'a>(&'a self, claim: &'a Claim<'a>) -> BoxFuture<'a, Result<Claimed, LeaseError>> {
        Box::pin(self.put(Question::Claim, move || self.store().claim(claim)))
    }

    fn holds<'a>(&'a self, name: &'a str, slot: Slot, run: &'a str) -> BoxFuture<'a, Result<bool, LeaseError>> {
        Box::pin(self.put(Question::Holds, move || self.store().holds(name, slot, run)))
    }

    fn renew<'a>(&'a self, claim: &'a Claim<'a>) -> BoxFuture<'a, Result<bool, LeaseError>> {
        Box::pin(self.put(Question::Renew, move || self.store().renew(claim)))
    }

    fn hand_back<'a>(&'a self, name: &'a str, slot: Slot, run: &'a str) -> BoxFuture<'a, Result<(), LeaseError>> {
        Box::pin(self.put(Question::HandBack, move || self.store().hand_back(name, slot, run)))
    }

    fn last_slot<'a>(&'a self, name: &'a str) -> BoxFuture<'a, Result<Option<Slot>, LeaseError>> {
        Box::pin(self.put(Question::LastSlot, move || self.store().last_slot(name)))
    }

    fn database(&self) -> Option<&'static str> {
        self.store().database()
    }

    fn release<'a>(&'a self, name: &'a str, run: &'a str) -> BoxFuture<'a, Result<(), LeaseError>> {
        Box::pin(self.put(Question::Release, move || self.store().release(name, run)))
    }
}
