//! docs/rules.md#declare-a-job-once: a function without `#[job]`, and a path that leads nowhere.
//!
//! E0573: the function is there and has no `#[job(…)]` or `#[poll(…)]`; add it. E0425: there is no function of that name.

#![allow(unused)]

use steadfast::{Slot, registry};
use steadfast_tests::shop::BillingError;

mod billing {
    use super::*;

    pub async fn close_trials(slot: Slot) -> Result<(), BillingError> {
        Ok(())
    }
}

struct App;

registry! {
    static JOBS for App = [billing::close_trials, billing::missing];
}

fn main() {
    println!("{:?}", JOBS);
}
