//! One replica of an application on PostgreSQL, for the chaos of `tests/chaos`: it is killed, stopped, cut off and lied to.
//!
//! What it is, it is told on its command line; what it does, it tells on its standard output, a line at a time.

mod jobs;
mod store;
mod work;

use std::{env, io::Read as _, process, thread, time::Duration};

use anyhow::Context as _;
use sqlx::postgres::{PgConnectOptions, PgPoolOptions};
use steadfast::shutdown_signal;
use steadfast_tests::chaos::{DATABASE, SCHEMA, Settings, Version};

use crate::{jobs::App, store::Store, work::Work};

#[tokio::main(worker_threads = 2)]
async fn main() -> anyhow::Result<()> {
    end_with_the_supervisor();
    let settings =
        Settings::from_words(env::args().skip(1)).context("not started by a supervisor; see `tests/chaos`")?;
    let database: PgConnectOptions = env::var(DATABASE)?.parse()?;
    let pool = PgPoolOptions::new()
        .max_connections(8)
        // No longer than a server is away: a claim that waits is a run that waits.
        .acquire_timeout(Duration::from_secs(1))
        .connect_lazy_with(database.options([("search_path", env::var(SCHEMA)?)]));
    let (clock, version) = (settings.clock, settings.version);
    let leases = Store::new(&pool, &settings);
    let work = Work::new(pool, settings);
    let app = App { work: work.clone() };
    // Each awaits until the signal: the registries are of one type and differ in their timeouts.
    match version {
        Version::Long => jobs::long::JOBS.with(app),
        Version::Short => jobs::short::JOBS.with(app),
        Version::Patient => jobs::patient::JOBS.with(app),
    }
    .leases(leases)
    .clock(clock)
    .run_until(shutdown_signal())
    .await?;
    work.what_outlives_its_run_has_ended().await;
    Ok(())
}

/// Nothing outlives a test that was killed: its end of the pipe closes.
fn end_with_the_supervisor() {
    thread::spawn(|| {
        let _ = std::io::stdin().read_to_end(&mut Vec::new());
        process::exit(3);
    });
}
