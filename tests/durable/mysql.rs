//! The suite on MariaDB.

use crate::engines::mysql as engine;

#[path = "suite.rs"]
mod suite;
