//! What the tests share: a database of their own per test, and a proxy that loses what it is told to lose.

pub mod postgres;
pub mod proxy;
pub mod sqlite;
pub mod tally;
