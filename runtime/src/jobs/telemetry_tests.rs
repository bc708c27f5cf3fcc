//! What a run tells, recorded: events, spans and metrics of the jobs of an afternoon.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::{self, Write as _},
    future::pending,
    sync::{
        Arc, Mutex,
        atomic::{AtomicU64, Ordering},
    },
};

use metrics_util::debugging::{DebugValue, DebuggingRecorder};
use tracing::{
    Event, Metadata, Subscriber,
    field::{Field, Visit},
    span,
};

use super::*;
use crate::{
    Classify, Cron, Failure, Registry,
    jobs::{Claim, Job, JobError, JobMeta, LeaseMode, LeaseStore as _, Listed, NeedsLeases, Run, registry::Entry},
    testing::{self, MemoryLeases, VirtualClock},
};

/// Remembers events and spans as text.
#[derive(Clone, Default)]
struct Heard {
    lines: Arc<Mutex<Vec<String>>>,
    spans: Arc<AtomicU64>,
}

impl Heard {
    fn take(&self) -> Vec<String> {
        std::mem::take(&mut self.lines.lock().expect("whole"))
    }
}

struct Text(String);

impl Visit for Text {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        write!(self.0, " {field}={value:?}").expect("a string takes all");
    }
}

impl Subscriber for Heard {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target().starts_with("steadfast")
    }
    fn new_span(&self, attributes: &span::Attributes<'_>) -> span::Id {
        let mut text = Text(format!("SPAN {}", attributes.metadata().name()));
        attributes.record(&mut text);
        self.lines.lock().expect("whole").push(text.0);
        span::Id::from_u64(self.spans.fetch_add(1, Ordering::Relaxed) + 1)
    }
    fn record(&self, _: &span::Id, values: &span::Record<'_>) {
        let mut text = Text("RECORD".to_owned());
        values.record(&mut text);
        self.lines.lock().expect("whole").push(text.0);
    }
    fn record_follows_from(&self, _: &span::Id, _: &span::Id) {}
    fn event(&self, event: &Event<'_>) {
        let mut text = Text(event.metadata().level().to_string());
        event.record(&mut text);
        self.lines.lock().expect("whole").push(text.0);
    }
    fn enter(&self, _: &span::Id) {}
    fn exit(&self, _: &span::Id) {}
}

struct App;

/// An application's error whose text holds what must not be logged.
#[derive(Debug, thiserror::Error)]
#[error("cannot reach https://app:hunter2@mail.example/send?token=hunter2 for slot")]
struct Mail;

impl Classify for Mail {
    fn failure(&self) -> Option<Failure> {
        None
    }
}

macro_rules! job {
    ($job:ident, $name:literal, $body:expr) => {
        struct $job;
        impl JobMeta for $job {
            const META: Meta = Meta {
                name: $name,
                cron: Cron::from_masks(!0, !0, !0, !0, !0),
                cron_text: "* * * * *",
                exclusive: true,
                timeout: Duration::from_mins(5),
                lease: LeaseMode::new(false, false),
                catch_up: None,
                splay: Duration::ZERO,
                lease_in: None,
            };
        }
        impl Listed<App> for $job {
            const ENTRY: Entry<App> = Entry::job::<Self>();
        }
        impl Job<App> for $job {
            async fn run(_: Run<'_>, _: &App) -> Result<(), JobError> {
                $body
            }
        }
    };
}

job!(Good, "good", Ok(()));
job!(Failing, "failing", Err(Mail.into()));
job!(Panicking, "panicking", panic!("at postgres://app:hunter2@db/shop"));
job!(Hung, "hung", pending().await);

static JOBS: Registry<App, NeedsLeases> =
    Registry::new(&[Entry::of::<Good>(), Entry::of::<Failing>(), Entry::of::<Panicking>(), Entry::of::<Hung>()]);

fn slot() -> Slot {
    Slot::utc(2026, 1, 2, 3, 0).expect("a date")
}

/// Runs one slot of one job, three seconds late; virtual time passes as it is waited for.
async fn run(name: &'static str, leases: &MemoryLeases, clock: &VirtualClock) -> RunOutcome {
    let jobs = JOBS.with(App).clock(clock.clone()).leases(leases.clone());
    let run = tokio::spawn(async move { testing::run(&jobs, name, slot()).await.expect("known") });
    while !run.is_finished() {
        for _ in 0..20 {
            tokio::task::yield_now().await;
        }
        if clock.sleepers() > 0 {
            clock.advance_waits(Duration::from_mins(5));
        }
    }
    run.await.expect("no panic goes through")
}

/// Runs a test of this file in a process of its own. `tracing` asks a subscriber once whether an event is of interest, and a
/// test on another thread, which has none, may be the one that asks.
fn alone(test: &str, body: impl FnOnce()) {
    const ALONE: &str = "STEADFAST_TEST_ALONE";
    if std::env::var_os(ALONE).is_some() {
        return body();
    }
    let this = std::env::current_exe().expect("the test binary");
    let name = format!("jobs::telemetry::tests::{test}");
    let run = std::process::Command::new(this).args([&name, "--exact", "--nocapture"]).env(ALONE, "1").output();
    let run = run.expect("started");
    let (told, failed) = (String::from_utf8_lossy(&run.stdout), String::from_utf8_lossy(&run.stderr));
    assert!(run.status.success() && told.contains("1 passed"), "{told}{failed}");
}

fn in_runtime<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().build().expect("a runtime").block_on(future)
}

/// At the slot, plus three seconds.
fn scene() -> (VirtualClock, MemoryLeases) {
    let clock = VirtualClock::at(slot());
    clock.advance(Duration::from_secs(3));
    (clock.clone(), MemoryLeases::new(clock))
}

#[test]
fn a_run_is_one_span_and_a_failed_one_one_event() {
    alone("a_run_is_one_span_and_a_failed_one_one_event", || {
        let heard = Heard::default();
        let _listening = tracing::subscriber::set_default(heard.clone());
        in_runtime(async {
            let (clock, leases) = scene();
            assert!(run("good", &leases, &clock).await.is_completed());
            let lines = heard.take();
            assert_eq!(lines.len(), 2, "{lines:#?}");
            for field in [
                "SPAN steadfast.job",
                "otel.name=\"job good\"",
                "otel.kind=\"internal\"",
                "faas.trigger=\"other\"",
                "steadfast.job.trigger=\"external\"",
                "faas.cron=\"* * * * *\"",
                "faas.time=2026-01-02T03:00:00Z",
                "faas.invocation_id=",
                "steadfast.job.name=\"good\"",
                "steadfast.job.slot=2026-01-02T03:00:00Z",
                "steadfast.job.lateness_ms=3000",
            ] {
                assert!(lines[0].contains(field), "{field} in {}", lines[0]);
            }
            assert_eq!(lines[1], "RECORD steadfast.job.outcome=\"completed\"");

            let _lost = run("good", &leases, &clock).await;
            assert_eq!(heard.take(), Vec::<String>::new(), "a lost claim says nothing");

            for (job, outcome, said) in [
                ("failing", "failed", "cannot reach https://… for slot"),
                ("panicking", "panicked", "at postgres://…"),
                ("hung", "timed_out", "timeout=300s"),
            ] {
                assert_eq!(run(job, &leases, &clock).await.as_str(), outcome);
                let lines = heard.take();
                let events: Vec<_> = lines.iter().filter(|line| line.starts_with("ERROR")).collect();
                assert!(events.len() == 1 && events[0].contains(said), "{lines:#?}");
                assert!(lines.contains(&format!("RECORD error.type=\"{outcome}\"")), "{lines:#?}");
                assert!(lines.iter().all(|line| !line.contains("hunter2")), "{lines:#?}");
            }
        });
    });
}

#[test]
fn a_skewed_replica_warns_once_a_job() {
    alone("a_skewed_replica_warns_once_a_job", || {
        let heard = Heard::default();
        let _listening = tracing::subscriber::set_default(heard.clone());
        in_runtime(async {
            let (clock, leases) = scene();
            let ahead = VirtualClock::at(slot());
            ahead.advance(Duration::from_mins(1));
            let jobs = JOBS.with(App).clock(ahead.clone()).leases(leases);
            let runner = tokio::spawn(jobs.run_until(pending()).into_future());
            for _ in 0..5 {
                for _ in 0..50 {
                    tokio::task::yield_now().await;
                }
                clock.advance(Duration::from_mins(1));
                ahead.advance(Duration::from_mins(1));
            }
            runner.abort();
            let warned = heard.take().into_iter().filter(|line| line.starts_with("WARN")).collect::<Vec<_>>();
            assert_eq!(warned.len(), 4, "once for each of four jobs: {warned:#?}");
            assert!(warned[0].contains("skew_ms=57000"), "{warned:#?}");
        });
    });
}

#[test]
fn a_pause_is_told_once_with_its_reason() {
    alone("a_pause_is_told_once_with_its_reason", || {
        let heard = Heard::default();
        let _listening = tracing::subscriber::set_default(heard.clone());
        in_runtime(async {
            let (clock, leases) = scene();
            let jobs = JOBS.with(App).clock(clock.clone()).leases(leases.clone());
            let operator = jobs.clone();
            let runner = tokio::spawn(jobs.run_until(pending()).into_future());
            let told = async |minutes: u32| {
                for _ in 0..minutes {
                    clock.advance(Duration::from_mins(1));
                    for _ in 0..50 {
                        tokio::task::yield_now().await;
                    }
                }
                let lines = heard.take().into_iter();
                lines.filter(|line| line.contains("the job is paused")).collect::<Vec<_>>()
            };
            assert_eq!(told(1).await, [""; 0]);
            for reason in ["the provider is down", "down again"] {
                operator.pause("good", reason).await.expect("memory");
                let lines = told(3).await;
                assert_eq!(lines.len(), 1, "once a pause: {lines:#?}");
                let expected = format!("job=\"good\" reason=\"{reason}\"");
                assert!(lines[0].starts_with("INFO") && lines[0].contains(&expected), "{lines:#?}");
                operator.resume("good").await.expect("memory");
                assert_eq!(told(2).await, [""; 0]);
            }
            runner.abort();
        });
    });
}

#[test]
fn a_holder_that_blocks_several_slots_is_told_once() {
    alone("a_holder_that_blocks_several_slots_is_told_once", || {
        let heard = Heard::default();
        let _listening = tracing::subscriber::set_default(heard.clone());
        in_runtime(async {
            let (clock, leases) = scene();
            let minute = Duration::from_mins(1);
            // Another replica claimed the slot of 03:00 for six minutes, and died.
            let jobs = JOBS.with(App).clock(clock.clone()).leases(leases.clone());
            let runner = tokio::spawn(jobs.run_until(pending()).into_future());
            let pass = async |minutes: u32| {
                for _ in 0..minutes {
                    for _ in 0..50 {
                        tokio::task::yield_now().await;
                    }
                    clock.advance(minute);
                }
                for _ in 0..50 {
                    tokio::task::yield_now().await;
                }
            };
            let told = || {
                let lines = heard.take().into_iter();
                lines.filter(|line| line.starts_with("WARN") && line.contains("job=\"good\"")).collect::<Vec<_>>()
            };
            let run = RunId::random();
            assert!(
                leases.claim(&Claim::new("good", slot(), 6 * minute, &run, &clock)).await.expect("memory").is_won()
            );
            pass(2).await;
            assert_eq!(told(), [""; 0], "two slots are a run that takes a little longer");
            pass(4).await;
            let warned = told();
            assert_eq!(warned.len(), 1, "once a holder: {warned:#?}");
            assert!(warned[0].contains("job=\"good\" held_by_slot=2026-01-02T03:00"), "{warned:#?}");
            runner.abort();
        });
    });
}

#[test]
fn every_metric_of_the_documentation_is_emitted() {
    let recorder = DebuggingRecorder::new();
    let snapshotter = recorder.snapshotter();
    let _recording = metrics::set_default_local_recorder(&recorder);
    in_runtime(async {
        let (clock, leases) = scene();
        let jobs = JOBS.with(App).clock(clock.clone()).leases(leases.clone());
        let runner = tokio::spawn(jobs.run_until(pending()).into_future());
        tokio::task::yield_now().await;
        runner.abort();
        for job in ["good", "good", "failing", "panicking", "hung"] {
            let _ended = run(job, &leases, &clock).await;
        }
        leases.check().await.expect("there");
    });
    let mut told = BTreeMap::new();
    for (key, _, described, value) in snapshotter.snapshot().into_vec() {
        let key = key.key();
        let labels: Vec<_> = key.labels().map(|label| format!("{}={}", label.key(), label.value())).collect();
        assert!(described.is_some(), "{} is described", key.name());
        told.insert(format!("{} {}", key.name(), labels.join(",")), value);
    }
    for (line, expected) in [
        ("steadfast_job_runs_total job=good,outcome=completed,trigger=external", 1),
        ("steadfast_job_runs_total job=failing,outcome=failed,trigger=external", 1),
        ("steadfast_job_runs_total job=panicking,outcome=panicked,trigger=external", 1),
        ("steadfast_job_runs_total job=hung,outcome=timed_out,trigger=external", 1),
        ("steadfast_lease_claims_total job=good,result=won", 1),
        ("steadfast_lease_claims_total job=good,result=lost_slot", 1),
    ] {
        assert_eq!(told.get(line), Some(&DebugValue::Counter(expected)), "{line} in {told:#?}");
    }
    assert_eq!(told.get("steadfast_job_running job=good"), Some(&DebugValue::Gauge(0.0.into())));
    let next = told.get("steadfast_job_next_slot_timestamp_seconds job=good");
    assert_eq!(next, Some(&DebugValue::Gauge(1_767_322_860.0.into())), "{told:#?}");
    // Every metric of a job or lease that the page names, and no other.
    let page = include_str!("../../../docs/telemetry.md");
    let named: BTreeSet<_> = page
        .lines()
        .filter_map(|line| line.strip_prefix("| `")?.split('`').next())
        .filter(|name| {
            ["steadfast_job", "steadfast_lease", "steadfast_clock"].iter().any(|part| name.starts_with(part))
        })
        .collect();
    let emitted: BTreeSet<_> = told.keys().filter_map(|line| line.split(' ').next()).collect();
    assert_eq!(emitted, named);
}
