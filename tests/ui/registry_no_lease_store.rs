//! docs/rules.md#exclusive-is-a-question: an exclusive job and no lease store.

#![allow(unused)]

use steadfast::{Slot, job, registry};
use steadfast_tests::shop::BillingError;

#[job(cron = "0 9 * * *", exclusive, timeout = "5m")]
async fn digest(slot: Slot) -> Result<(), BillingError> {
    Ok(())
}

struct App;

registry! {
    static JOBS for App = [digest];
}

#[tokio::main]
async fn main() {
    JOBS.with(App).run_until(steadfast::shutdown_signal()).await.expect("the jobs start");
}
