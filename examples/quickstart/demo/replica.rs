//! One replica: the `main` of the application, plus the sped-up clock and the counters on standard output.

use std::{sync::Arc, time::Duration};

use anyhow::Context;
use metrics::{Counter, CounterFn, Gauge, Histogram, Key, KeyName, Metadata, Recorder, SharedString, Unit};
use steadfast::{SqliteLeases, clock::Clock};

use super::{clock::SpedUp, options::Replica, setup};
use crate::{
    app::{App, JOBS},
    mail::Mailer,
};

pub(super) async fn run(Replica { number, database, slots, clock }: Replica) -> anyhow::Result<()> {
    tracing_subscriber::fmt()
        .with_max_level(tracing_subscriber::filter::LevelFilter::WARN)
        .with_writer(std::io::stderr)
        .with_ansi(std::io::IsTerminal::is_terminal(&std::io::stderr()))
        .init();
    metrics::set_global_recorder(ToSupervisor).ok().context("a recorder is installed already")?;

    // So short that contention is seen, and retried, rather than waited out inside the database.
    let db = setup::open(&database, Duration::from_millis(20)).await?;
    let server = setup::open(&database, Duration::from_secs(5)).await?;
    // A claim is not what contention is shown on: it waits for the lock.
    let leases = SqliteLeases::new(&server).database_clock(clock.in_sql()).clock_tolerance(clock.tolerance());
    JOBS.with(App { db, mailer: Mailer { server, replica: number } })
        .leases(leases)
        .clock(clock)
        .run_until(last_slot_is_over(clock, slots))
        .await?;
    Ok(())
}

/// Beside `steadfast::shutdown_signal()`: the demonstration ends by itself.
async fn last_slot_is_over(clock: SpedUp, slots: u32) {
    let end = clock.first_slot().time() + Duration::from_mins(1) * slots - Duration::from_secs(5);
    let over = clock.sleep(end.duration_since(clock.now()).unwrap_or_default());
    futures_util::future::select(over, std::pin::pin!(steadfast::shutdown_signal())).await;
}

/// Counters go to standard output one by one, so that a killed replica has told what it did.
struct ToSupervisor;

struct Told(Key);

impl CounterFn for Told {
    fn increment(&self, value: u64) {
        let label = |name: &str| self.0.labels().find(|label| label.key() == name).map_or("", |label| label.value());
        println!("{} {} {} {value}", self.0.name(), label("outcome"), label("kind"));
    }

    fn absolute(&self, _: u64) {}
}

impl Recorder for ToSupervisor {
    fn describe_counter(&self, _: KeyName, _: Option<Unit>, _: SharedString) {}
    fn describe_gauge(&self, _: KeyName, _: Option<Unit>, _: SharedString) {}
    fn describe_histogram(&self, _: KeyName, _: Option<Unit>, _: SharedString) {}

    fn register_counter(&self, key: &Key, _: &Metadata<'_>) -> Counter {
        if key.name().starts_with("steadfast_unit_") {
            Counter::from_arc(Arc::new(Told(key.clone())))
        } else {
            Counter::noop()
        }
    }

    fn register_gauge(&self, _: &Key, _: &Metadata<'_>) -> Gauge {
        Gauge::noop()
    }

    fn register_histogram(&self, _: &Key, _: &Metadata<'_>) -> Histogram {
        Histogram::noop()
    }
}
