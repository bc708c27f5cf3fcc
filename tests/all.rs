//! What steadfast does, tested from outside. One binary, since each one links sqlx again.

mod engines;
mod faults;
mod gaps;
mod leases;
mod retry;
mod runner;
mod telemetry;
mod units;
mod wall;
