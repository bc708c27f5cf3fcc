//! The suite on MariaDB.

use super::members;
use crate::engines::mysql as engine;

#[path = "suite.rs"]
mod suite;

#[path = "savepoints.rs"]
mod savepoints;

#[path = "receipts.rs"]
mod receipts;

#[path = "orm.rs"]
mod orm;
