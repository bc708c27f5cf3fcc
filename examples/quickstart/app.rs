//! What the jobs work with.

use sqlx::SqlitePool;

use crate::{billing, mail};

/// The application: each field is what a job may take as a parameter.
#[derive(steadfast::Provide)]
pub struct App {
    pub db: SqlitePool,
    pub mailer: mail::Mailer,
}

steadfast::registry! {
    pub static JOBS for App = [billing::close_due_trials, mail::send_digest];
}
