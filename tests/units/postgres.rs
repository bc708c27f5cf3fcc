//! The suite on PostgreSQL.

use super::members;
use crate::engines::postgres as engine;

#[path = "suite.rs"]
mod suite;

#[path = "savepoints.rs"]
mod savepoints;

#[path = "receipts.rs"]
mod receipts;

#[path = "erased.rs"]
mod erased;

#[path = "orm.rs"]
mod orm;
