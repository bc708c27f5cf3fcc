//! Atomic units on every engine: what a body may do and what becomes of it.

#[allow(clippy::duplicate_mod)] // the point: one suite, two engines
mod postgres;
mod sqlite;
