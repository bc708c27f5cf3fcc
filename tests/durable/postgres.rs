//! The suite on PostgreSQL.

use crate::engines::postgres as engine;

#[path = "suite.rs"]
mod suite;
