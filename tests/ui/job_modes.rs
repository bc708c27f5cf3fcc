//! docs/rules.md#what-was-missed-is-run-once-or-not: what is about a lease on a job without one, and starts that cannot be.

#![allow(unused)]

use std::convert::Infallible;
use steadfast::{Slot, job};

#[job(name = "a", cron = "0 3 * * *", timeout = "5m", heartbeat)]
async fn heartbeat_of_nothing(_: Slot) -> Result<(), Infallible> {
    Ok(())
}

#[job(name = "b", cron = "0 3 * * *", timeout = "5m", on_shutdown = hand_back)]
async fn nothing_to_hand_back(_: Slot) -> Result<(), Infallible> {
    Ok(())
}

#[job(name = "c", cron = "0 3 * * *", timeout = "5m", catch_up = "12h")]
async fn nothing_to_catch_up(_: Slot) -> Result<(), Infallible> {
    Ok(())
}

#[job(name = "d", cron = "0 * * * *", exclusive, timeout = "5m", catch_up = "12h", splay = "1h")]
async fn longer_than_the_gap(_: Slot) -> Result<(), Infallible> {
    Ok(())
}

#[job(name = "e", cron = "0 3 * * *", exclusive, timeout = "1h")]
async fn long_without_heartbeat(_: Slot) -> Result<(), Infallible> {
    Ok(())
}

#[job(name = "f", cron = "0 3 * * *", exclusive, timeout = "5m", on_shutdown = finish, splay = "0s", catch_up = "1s")]
async fn other_words(_: Slot) -> Result<(), Infallible> {
    Ok(())
}

fn main() {}
