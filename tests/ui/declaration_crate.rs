//! docs/rules.md#a-declaration-is-read-as-it-is-written: a path to steadfast that means another thing in another module.
//!
//! Without `crate = …` where it is needed, rustc says E0433, "cannot find `steadfast` in the crate root", at each part of the declaration;
//! with a path that leads elsewhere, "cannot find `__private`". Say on every macro where steadfast is.

#![allow(unused)]

use steadfast::{Classify, Provide, Slot, atomic_unit, job, poll, provider_call, registry, sqlite::Tx};
use steadfast_tests::shop::BillingError;

mod retry {
    steadfast::policies! {
        crate = steadfast;
        pub policy contention = capped(base = "50ms", cap = "200ms", retries = 3).on(contention);
    }
}

#[atomic_unit(retry = contention, crate = super::kit)]
async fn relative(tx: &mut Tx<'_>) -> Result<(), BillingError> {
    Ok(())
}

#[provider_call(retry = never, crate = "::kit")]
async fn text(cents: u64) -> Result<(), BillingError> {
    Ok(())
}

#[job(cron = "0 3 * * *", timeout = "5m", crate)]
async fn empty(slot: Slot) -> Result<(), BillingError> {
    Ok(())
}

#[poll(every = "1s", timeout = "5s", crate = ::kit::<u8>)]
async fn arguments() -> Result<steadfast::Tick, BillingError> {
    Ok(steadfast::Tick::Idle)
}

#[derive(Debug, Classify)]
#[classify(crate = kit)]
enum Error {}

#[derive(Debug, Classify)]
#[classify(crate = ::kit, domain)]
struct Refused;

#[derive(Provide)]
#[provide(crate = self::kit)]
struct App {}

registry! {
    crate = ::kit
    static JOBS for App = [empty];
}

fn main() {}
