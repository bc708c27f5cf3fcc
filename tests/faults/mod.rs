//! What goes wrong at the transaction boundary, provoked on real engines: how often the body ran, and what is in the table.

mod connections;
mod each_engine;
mod gate;
mod lost_commit;
mod mysql;
mod postgres;
pub(crate) mod random;
mod sqlite;
mod survival;
