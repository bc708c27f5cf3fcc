//! The suite on MariaDB.

macro_rules! engine_test {
    ($(#[$meta:meta])* async fn $name:ident() $body:block) => {
        $(#[$meta])*
        #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
        #[ignore = "needs MariaDB: tests/run"]
        async fn $name() $body
    };
}

use crate::engines::mysql as engine;

#[path = "suite.rs"]
mod suite;

#[path = "savepoints.rs"]
mod savepoints;

#[path = "receipts.rs"]
mod receipts;
