//! The suite on MariaDB.

use crate::engines::mysql as engine;

#[path = "suite.rs"]
mod suite;

#[path = "savepoints.rs"]
mod savepoints;

#[path = "receipts.rs"]
mod receipts;
