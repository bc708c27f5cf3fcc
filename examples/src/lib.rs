//! The examples stand in the folders beside this one: `cargo run --example quickstart`.
