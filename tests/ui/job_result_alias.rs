//! docs/rules.md#declare-a-job-once: an alias that is no `Result`.

#![allow(unused)]

use steadfast::{Slot, job};
use steadfast_tests::shop::BillingError;

type Count = u8;

#[job(cron = "0 3 * * *", timeout = "5m")]
async fn count(slot: Slot) -> Count {
    let _ = BillingError::Unknown(1);
    3
}

fn main() {}
