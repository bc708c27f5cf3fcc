//! `FaultyLeases` as a store: every question passes its faults.

use super::faults::{FaultyLeases, Question};
use crate::{
    jobs::{Claim, Claimed, LeaseError, LeaseRow, LeaseStore, Slot},
    platform::BoxFuture,
};

impl LeaseStore for FaultyLeases {
    fn check(&self) -> BoxFuture<'_, Result<(), LeaseError>> {
        Box::pin(self.put(Question::Check, || self.store().check()))
    }

    fn claim<'a>(&'a self, claim: &'a Claim<'a>) -> BoxFuture<'a, Result<Claimed, LeaseError>> {
        Box::pin(self.put(Question::Claim, move || self.store().claim(claim)))
    }

    fn holds<'a>(&'a self, name: &'a str, token: i64, run: &'a str) -> BoxFuture<'a, Result<bool, LeaseError>> {
        Box::pin(self.put(Question::Holds, move || self.store().holds(name, token, run)))
    }

    fn renew<'a>(&'a self, claim: &'a Claim<'a>, token: i64) -> BoxFuture<'a, Result<bool, LeaseError>> {
        Box::pin(self.put(Question::Renew, move || self.store().renew(claim, token)))
    }

    fn hand_back<'a>(&'a self, name: &'a str, slot: Slot, run: &'a str) -> BoxFuture<'a, Result<(), LeaseError>> {
        Box::pin(self.put(Question::HandBack, move || self.store().hand_back(name, slot, run)))
    }

    fn pause<'a>(&'a self, name: &'a str, reason: &'a str) -> BoxFuture<'a, Result<(), LeaseError>> {
        Box::pin(self.put(Question::Pause, move || self.store().pause(name, reason)))
    }

    fn resume<'a>(&'a self, name: &'a str) -> BoxFuture<'a, Result<(), LeaseError>> {
        Box::pin(self.put(Question::Resume, move || self.store().resume(name)))
    }

    fn row<'a>(&'a self, name: &'a str) -> BoxFuture<'a, Result<Option<LeaseRow>, LeaseError>> {
        Box::pin(self.put(Question::Row, move || self.store().row(name)))
    }

    fn database(&self) -> Option<&'static str> {
        self.store().database()
    }

    fn table(&self) -> &str {
        self.store().table()
    }

    fn release<'a>(&'a self, name: &'a str, run: &'a str) -> BoxFuture<'a, Result<(), LeaseError>> {
        Box::pin(self.put(Question::Release, move || self.store().release(name, run)))
    }
}
