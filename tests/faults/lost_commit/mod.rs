//! A COMMIT, or its answer, that is lost between a unit and a server.

#[allow(clippy::duplicate_mod)] // the point: one suite, two servers
mod mysql;
mod postgres;
