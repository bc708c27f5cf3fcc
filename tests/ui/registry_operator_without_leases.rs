//! docs/rules.md#exclusive-is-a-question: a run by hand, a trigger and a pause without a lease store, and a table's name for a store.

#![allow(unused)]

use sqlx::SqlitePool;
use steadfast::{Slot, SqliteLeases, job, registry};
use steadfast_tests::shop::BillingError;

#[job(cron = "0 9 * * *", exclusive, timeout = "5m", name = "mail.digest")]
async fn digest(slot: Slot) -> Result<(), BillingError> {
    Ok(())
}

struct App;

registry! {
    static JOBS for App = [digest];
}

async fn operate(db: &SqlitePool) {
    let jobs = JOBS.with(App);
    let _ = jobs.run_now("mail.digest").await;
    let _ = jobs.fire("mail.digest", std::time::SystemTime::now()).await;
    let _ = jobs.pause("mail.digest", "the provider is down").await;
    let jobs = jobs.leases(SqliteLeases::new(db).table("billing_leases"));
}

fn main() {}
