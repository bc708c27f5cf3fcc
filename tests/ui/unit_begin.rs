//! docs/rules.md#begin-as-the-unit-needs: a level, a way to begin or a limit that is none, or that contradicts the rest.

#![allow(unused)]

use steadfast::{atomic_unit, sqlite::Tx};
use steadfast_tests::shop::BillingError;

mod retry {
    pub use steadfast::policy::*;
}

#[atomic_unit(retry = contention, isolation = snapshot)]
async fn unknown_level(tx: &mut Tx<'_>) -> Result<(), BillingError> {
    todo!()
}

#[atomic_unit(retry = contention, read_only, begin = immediate)]
async fn reads_under_the_write_lock(tx: &mut Tx<'_>) -> Result<(), BillingError> {
    todo!()
}

#[atomic_unit(retry = contention, idempotent = read, begin = exclusive)]
async fn reads_alone(tx: &mut Tx<'_>) -> Result<(), BillingError> {
    todo!()
}

#[atomic_unit(retry = contention, attempt_timeout = "0s")]
async fn no_time(tx: &mut Tx<'_>) -> Result<(), BillingError> {
    todo!()
}

#[atomic_unit(retry = contention, timeout = "5s")]
async fn wrong_key(tx: &mut Tx<'_>) -> Result<(), BillingError> {
    todo!()
}

fn main() {}
