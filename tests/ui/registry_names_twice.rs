//! docs/rules.md#declare-a-job-once: two jobs of one name.

#![allow(unused)]

use steadfast::{Slot, job, registry};
use steadfast_tests::shop::BillingError;

mod billing {
    use super::*;

    #[job(cron = "0 3 * * *", timeout = "5m", name = "nightly")]
    pub async fn close_trials(slot: Slot) -> Result<(), BillingError> {
        Ok(())
    }
}

mod mail {
    use super::*;

    #[job(cron = "0 4 * * *", timeout = "5m", name = "nightly")]
    pub async fn digest(slot: Slot) -> Result<(), BillingError> {
        Ok(())
    }
}

struct App;

registry! {
    static JOBS for App = [billing::close_trials, mail::digest];
}

fn main() {
    println!("{:?}", JOBS);
}
