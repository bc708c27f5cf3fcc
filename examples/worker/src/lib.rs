//! One billing slice, run by a server on SQLite and by a Cloudflare Worker on D1.
//!
//! `billing` knows no database: it names what it needs as the trait `Trials`, of which there is one implementation a database. The target
//! chooses which one is compiled.

mod billing;
#[cfg(target_family = "wasm")]
#[path = "d1.rs"]
mod store;
#[cfg(not(target_family = "wasm"))]
#[path = "sqlite.rs"]
mod store;
#[cfg(target_family = "wasm")]
mod worker;

#[cfg(not(target_family = "wasm"))]
mod retry {
    //! The home of the policies of this crate; the Worker has none, since D1 says of no failure whether it may be repeated.
    pub(crate) use steadfast::policy::contention;
}

use steadfast::{Provide, registry};

pub use billing::{TrialError, Trials};
#[cfg(not(target_family = "wasm"))]
pub use store::SqliteTrials;

/// What the jobs work with.
pub struct App {
    trials: Box<dyn Trials>,
}

impl App {
    /// An application on any database that keeps trials.
    pub fn new(trials: impl Trials + 'static) -> Self {
        Self { trials: Box::new(trials) }
    }
}

/// By hand: the derive hands out fields, and a job asks for what is in the box.
impl Provide<dyn Trials> for App {
    fn provide(&self) -> &(dyn Trials + 'static) {
        &*self.trials
    }
}

registry! {
    /// The jobs of both profiles.
    pub static JOBS for App = [billing::close_expired_trials, billing::report_open_trials];
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    /// A line that is changed in one place alone would never fire.
    #[test]
    fn the_wrangler_file_names_the_lines() {
        let triggers = steadfast::worker::Triggers::of(&JOBS).expect("fit for a Worker");
        triggers.check(Path::new(env!("CARGO_MANIFEST_DIR")).join("wrangler.toml")).expect("the same lines");
    }

    #[test]
    fn the_migration_is_the_table_of_this_version() {
        assert_eq!(include_str!("../migrations/0001_leases.sql"), steadfast::schema::leases::SQLITE);
    }
}
