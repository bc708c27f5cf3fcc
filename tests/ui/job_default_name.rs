//! docs/rules.md#declare-a-job-once: a path that makes no name.

#![allow(unused)]

use steadfast::{Slot, job};
use steadfast_tests::shop::BillingError;

mod subscriptions_of_customers_in_trial {
    use super::*;

    #[job(cron = "0 3 * * *", timeout = "5m")]
    pub async fn close_all_that_have_expired_by_the_slot(slot: Slot) -> Result<(), BillingError> {
        Ok(())
    }
}

#[allow(non_snake_case)]
#[job(cron = "0 3 * * *", timeout = "5m")]
async fn closeTrials(slot: Slot) -> Result<(), BillingError> {
    Ok(())
}

fn main() {}
