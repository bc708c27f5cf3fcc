//! docs/rules.md#declare-a-job-once: two fields that a job could not tell apart.

#![allow(unused)]

use std::sync::Arc;

use sqlx::SqlitePool;
use steadfast::Provide;

trait Mail: Send + Sync {}

#[derive(Provide)]
struct App {
    live: SqlitePool,
    archive: SqlitePool,
    mail: Arc<dyn Mail>,
    bulk: Box<dyn Mail>,
}

fn main() {}
