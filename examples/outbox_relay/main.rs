//! A transactional outbox and its relay: an order and its event are one transaction, and the relay delivers the events.
//!
//! `retry.rs`, `db.rs`, `orders.rs`, `outbox.rs` and `broker.rs` are the application, written as a user would write them. `demo.rs`
//! starts the relay as a process, kills it in the middle, starts it again, and shows what came of each event:
//!
//!     cargo run --example outbox_relay
//!     DATABASE_URL=postgres://user@127.0.0.1/database cargo run --example outbox_relay --features postgres

// The slices are written as in any application, where `pub` says "for the other slices".
#![allow(unreachable_pub)]

mod broker;
mod db;
mod demo;
mod orders;
mod outbox;
mod retry;

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    demo::main().await
}
