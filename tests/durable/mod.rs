//! Work whose count of attempts stands in a row: an outbox and its relay, as `examples/outbox_relay` has it, on every engine.

#[allow(clippy::duplicate_mod)] // the point: one suite, every engine
mod mysql;
#[allow(clippy::duplicate_mod)]
mod postgres;
mod sqlite;
