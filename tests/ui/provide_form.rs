//! docs/rules.md#declare-a-job-once: what has no fields to lend, and words that nobody knows.

#![allow(unused)]

use steadfast::Provide;

#[derive(Provide)]
enum Either {
    One(u8),
}

#[derive(Provide)]
#[provide(crate =)]
struct Nowhere;

#[derive(Provide)]
struct App {
    #[provide(ignore)]
    cache: Vec<u8>,
}

fn main() {}
