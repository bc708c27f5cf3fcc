//! Faults that every engine meets.

#[allow(clippy::duplicate_mod)] // the point: one suite, every engine
mod mysql;
#[allow(clippy::duplicate_mod)]
mod postgres;
mod sqlite;
