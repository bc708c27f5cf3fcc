//! The claim and the release on every store: each row of the table of scenarios that the statement was designed against.

#[allow(clippy::duplicate_mod)] // the point: one suite, every engine
mod mysql;
#[allow(clippy::duplicate_mod)]
mod postgres;
mod sqlite;
