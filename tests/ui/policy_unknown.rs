//! docs/rules.md#name-every-policy: a name that nobody declared.
//!
//! E0425: a bare name in `retry = …` means an item of `crate::retry`, and `src/retry.rs` has none of that name. Without the module
//! rustc says E0433, "could not find `retry` in the crate root": `main.rs` needs `mod retry;`, and the first line of `src/retry.rs` may be
//! `pub use steadfast::policy::*;`.

#![allow(unused)]

use steadfast::{atomic_unit, sqlite::Tx};
use steadfast_tests::shop::BillingError;

mod retry {
    pub use steadfast::policy::*;
}

#[atomic_unit(retry = contentoin)]
async fn close_trial(tx: &mut Tx<'_>, trial: i64) -> Result<(), BillingError> {
    Ok(())
}

fn main() {}
