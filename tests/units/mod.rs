//! Atomic units on every engine: what a body may do and what becomes of it.

pub(crate) mod members;
#[allow(clippy::duplicate_mod)] // the point: one suite, every engine
mod mysql;
#[allow(clippy::duplicate_mod)]
mod postgres;
mod sqlite;
