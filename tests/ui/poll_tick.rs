//! docs/rules.md#a-failing-poll-backs-off: what is no tick, and no error that could be logged.

#![allow(unused)]

use steadfast::poll;
use steadfast_tests::shop::BillingError;

struct Unloggable;

#[poll(every = "1s", timeout = "30s")]
async fn nothing() -> Result<(), BillingError> {
    Ok(())
}

#[poll(every = "1s", timeout = "30s")]
async fn unloggable() -> Result<steadfast::Tick, Unloggable> {
    Err(Unloggable)
}

fn main() {}
