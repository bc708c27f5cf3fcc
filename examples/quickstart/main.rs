//! A small billing application, run as two replicas on one SQLite file.
//!
//! `retry.rs`, `app.rs`, `billing.rs` and `mail.rs` are the application, written as a user would write them. `demo/` starts it
//! twice, speeds the clock up, kills one replica in the middle of a slot, and counts what came of it. With
//! `--replicas 5 --slots 200 --chaos` it starts more of them, and kills, stops and shuts down one every few slots.

// The slices are written as in any application, where `pub` says "for the other slices".
#![allow(unreachable_pub)]

mod app;
mod billing;
mod demo;
mod mail;
mod retry;

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    demo::main().await
}
