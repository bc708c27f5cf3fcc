//! What steadfast does, tested from outside. One binary, since each one links sqlx again.

mod chaos;
mod cron;
mod durable;
mod engines;
mod faults;
mod gaps;
mod http;
mod items;
mod leases;
mod lint;
mod poll;
mod repository;
mod retry;
mod runner;
mod schedules;
mod security;
mod telemetry;
mod testing;
mod track_record;
mod units;
mod wall;
mod worker;
