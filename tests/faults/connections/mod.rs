//! Connections to a server that break, or that cannot be had.

#[allow(clippy::duplicate_mod)] // the point: one suite, two servers
mod mysql;
mod postgres;
