//! docs/rules.md#a-declaration-is-read-as-it-is-written: keys that are not written as keys are.

#![allow(unused)]

use steadfast::{Slot, atomic_unit, job, poll, provider_call, sqlite::Tx};
use steadfast_tests::shop::BillingError;

mod retry {
    pub use steadfast::policy::*;
}

#[atomic_unit(retry = contention,, allow(retry) sleep, read_only(true))]
async fn commas(tx: &mut Tx<'_>) -> Result<(), BillingError> {
    Ok(())
}

#[atomic_unit(retry = contention, allow = retry, isolation: serializable)]
async fn signs(tx: &mut Tx<'_>) -> Result<(), BillingError> {
    Ok(())
}

#[atomic_unit(retry = contention, allow("retry"))]
async fn texts(tx: &mut Tx<'_>) -> Result<(), BillingError> {
    Ok(())
}

#[provider_call(retry = never, allow())]
async fn nothing(cents: u64) -> Result<(), BillingError> {
    Ok(())
}

#[job(cron = "0 3 * * *", timeout = "5m")]
struct CloseTrials {
    slot: Slot,
}

#[poll(every = "1s", timeout = "5s")]
enum Relay {}

fn main() {}
