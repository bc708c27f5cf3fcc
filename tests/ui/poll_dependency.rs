//! docs/rules.md#a-failing-poll-backs-off: a parameter that the application does not provide.

#![allow(unused)]

use steadfast::{Provide, Tick, poll, registry};
use steadfast_tests::shop::{BillingError, Mailer};

#[poll(every = "1s", timeout = "30s")]
async fn relay(db: &sqlx::SqlitePool, mailer: &Mailer) -> Result<Tick, BillingError> {
    Ok(Tick::Idle)
}

#[derive(Provide)]
struct App {
    db: sqlx::SqlitePool,
}

registry! {
    static POLLS for App = [relay];
}

fn main() {
    println!("{:?}", POLLS);
}
