//! What a claim costs: ours beside a bare UPDATE of one row, a bare SELECT of it, and the upsert without a read before it that other
//! schedulers send (`INSERT … ON CONFLICT DO UPDATE … WHERE the lease has run out`, as `ShedLock` does).
//!
//! `tests/run --bench claims`: it starts a PostgreSQL that syncs every commit. Without a server, SQLite alone is measured. Batches take
//! turns, and a ratio is the median over rounds.

#[path = "claims/postgres.rs"]
mod postgres;
#[path = "claims/sqlite.rs"]
mod sqlite;
#[path = "claims/table.rs"]
mod table;

use std::env;

#[tokio::main]
async fn main() {
    for synchronous in sqlite::SYNCHRONOUS {
        sqlite::measure(synchronous).await;
    }
    if env::var_os(steadfast_tests::postgres::URL).is_none() {
        println!("\nPostgreSQL is left out: `tests/run --bench claims` starts one");
        return;
    }
    postgres::measure().await;
}
