//! The suite on SQLite.

macro_rules! engine_test {
    ($(#[$meta:meta])* async fn $name:ident() $body:block) => {
        $(#[$meta])*
        #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
        async fn $name() $body
    };
}

use crate::engines::sqlite as engine;

#[path = "suite.rs"]
mod suite;

#[path = "savepoints.rs"]
mod savepoints;

#[path = "receipts.rs"]
mod receipts;

#[path = "erased.rs"]
mod erased;
