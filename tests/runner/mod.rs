//! Jobs as a user declares them, through the boundary of a run, on every store.

mod modes;
#[allow(clippy::duplicate_mod)] // the point: one suite, every engine
mod mysql;
#[allow(clippy::duplicate_mod)]
mod postgres;
mod shutdown;
mod sqlite;
