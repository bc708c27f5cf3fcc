//! What the tests share: a database of their own per test, a proxy that loses what it is told to lose, a shop to declare things in.

pub mod library;
pub mod postgres;
pub mod proxy;
pub mod shop;
pub mod sqlite;
mod tally;
