//! docs/rules.md#declare-a-job-once: a parameter that the application does not provide.

#![allow(unused)]

use sqlx::SqlitePool;
use steadfast::{Provide, Slot, job, registry};
use steadfast_tests::shop::{BillingError, Mailer};

mod mail {
    use super::*;

    #[job(cron = "0 9 * * *", timeout = "5m")]
    pub async fn digest(slot: Slot, db: &SqlitePool, mailer: &Mailer) -> Result<(), BillingError> {
        Ok(())
    }
}

#[derive(Provide)]
struct App {
    db: SqlitePool,
}

registry! {
    static JOBS for App = [mail::digest];
}

fn main() {
    println!("{:?}", JOBS);
}
