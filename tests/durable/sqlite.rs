//! The suite on SQLite.

use crate::engines::sqlite as engine;

#[path = "suite.rs"]
mod suite;
