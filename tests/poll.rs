//! `#[poll]`: ticks on a virtual clock, run by the runner beside jobs.

use std::{
    collections::{BTreeSet, VecDeque},
    convert::Infallible,
    future::pending,
    sync::{Arc, Mutex},
    time::{Duration, SystemTime},
};

use steadfast::{JobClock, Jobs, Provide, Slot, Tick, job, poll, registry, testing::VirtualClock};
use tokio::{sync::oneshot, task::JoinHandle};

use crate::telemetry::{CANARY, Log, told};

const SECOND: Duration = Duration::from_secs(1);

/// What the next ticks do; after them every tick is idle.
#[derive(Clone, Copy, Debug)]
enum Does {
    More,
    Idle,
    Fails,
    Panics,
    Hangs,
    Works(u64),
}

#[derive(Clone, Default)]
struct Script(Arc<Mutex<Vec<Does>>>);

/// When a tick or a run began or ended, in seconds since the start.
#[derive(Clone, Default)]
struct Notes(Arc<Mutex<Vec<(&'static str, u64)>>>);

impl Notes {
    fn add(&self, what: &'static str, clock: &JobClock) {
        let second = clock.now().duration_since(start()).unwrap().as_secs();
        self.0.lock().unwrap().push((what, second));
    }

    fn all(&self) -> Vec<(&'static str, u64)> {
        self.0.lock().unwrap().clone()
    }

    fn of(&self, what: &str) -> Vec<u64> {
        self.all().into_iter().filter(|(noted, _)| *noted == what).map(|(_, second)| second).collect()
    }
}

#[derive(Clone, Default, Provide)]
struct App {
    script: Script,
    notes: Notes,
}

#[derive(Debug, thiserror::Error)]
#[error("cannot reach postgres://app:{CANARY}@db/shop")]
struct Down;

#[poll(every = "1s", timeout = "30s", name = "relay")]
async fn relay(script: &Script, notes: &Notes, clock: &JobClock) -> Result<Tick, Down> {
    notes.add("relay", clock);
    let does = {
        let mut script = script.0.lock().unwrap();
        if script.is_empty() { Does::Idle } else { script.remove(0) }
    };
    match does {
        Does::More => return Ok(Tick::More),
        Does::Idle => {}
        Does::Fails => return Err(Down),
        Does::Panics => panic!("at https://app:c4nary-hunter2@mail.example"),
        Does::Hangs => pending().await,
        Does::Works(seconds) => {
            clock.sleep(Duration::from_secs(seconds)).await;
            notes.add("worked", clock);
        }
    }
    Ok(Tick::Idle)
}

#[poll(every = "20s", timeout = "1m", name = "slow-relay")]
#[allow(clippy::unused_async)] // a poll is async, whatever its body does
async fn slow_relay(notes: &Notes, clock: &JobClock) -> Result<Tick, Infallible> {
    notes.add("slow", clock);
    Ok(Tick::Idle)
}

/// Always more, and not one await in it.
#[poll(every = "1s", timeout = "1m", name = "greedy")]
#[allow(clippy::unused_async)] // a poll is async, whatever its body does
async fn greedy(notes: &Notes, clock: &JobClock) -> Result<Tick, Infallible> {
    notes.add("greedy", clock);
    Ok(Tick::More)
}

#[job(cron = "* * * * *", timeout = "30s", name = "minutely")]
#[allow(clippy::unused_async)] // a job is async, whatever its body does
async fn minutely(_: Slot, notes: &Notes, clock: &JobClock) -> Result<(), Infallible> {
    notes.add("job", clock);
    Ok(())
}

registry! { static RELAY for App = [relay]; }
registry! { static ALL for App = [slow_relay, minutely, relay]; }
registry! { static GREEDY for App = [greedy, slow_relay, minutely]; }

fn start() -> SystemTime {
    Slot::utc(2026, 1, 2, 3, 0).unwrap().time()
}

/// Lets every task go as far as it can.
async fn settle() {
    for _ in 0..50 {
        tokio::task::yield_now().await;
    }
}

struct Scene {
    app: App,
    clock: VirtualClock,
    stop: Option<oneshot::Sender<()>>,
    runner: JoinHandle<()>,
}

impl Scene {
    async fn new<L: steadfast::jobs::ReadyToRun>(jobs: impl FnOnce(App) -> Jobs<App, L>, script: &[Does]) -> Self {
        let app = App { script: Script(Arc::new(Mutex::new(script.to_vec()))), notes: Notes::default() };
        let clock = VirtualClock::at(Slot::floor(start()));
        let (stop, stopped) = oneshot::channel::<()>();
        let jobs = jobs(app.clone()).clock(clock.clone()).grace(10 * SECOND);
        let runner = jobs.run_until(async { drop(stopped.await) }).into_future();
        let runner = tokio::spawn(async move { runner.await.unwrap() });
        settle().await;
        Self { app, clock, stop: Some(stop), runner }
    }

    async fn pass(&self, seconds: u64) {
        for _ in 0..seconds {
            self.clock.advance(SECOND);
            settle().await;
        }
    }

    async fn stop(&mut self) {
        self.stop = None;
        settle().await;
    }
}

async fn relay_runs(script: &[Does]) -> Scene {
    Scene::new(|app| RELAY.with(app), script).await
}

#[tokio::test]
async fn an_idle_poll_waits_its_interval_from_the_end_of_a_tick() {
    let scene = relay_runs(&[Does::Idle, Does::Works(5)]).await;
    scene.pass(9).await;
    assert_eq!(scene.app.notes.of("relay"), [0, 1, 7, 8, 9]);
}

#[track_caller]
fn within(waits: &[u64], bounds: &[(u64, u64)]) {
    assert_eq!(waits.len(), bounds.len());
    assert!(
        waits.iter().zip(bounds).all(|(wait, (low, high))| (low..=high).contains(&wait)),
        "{waits:?} within {bounds:?}"
    );
}

#[tokio::test]
async fn the_wait_doubles_to_a_minute_and_is_reset_by_a_success() {
    let mut script = VecDeque::from([Does::Fails; 9]);
    script.extend([Does::Idle, Does::Fails, Does::More, Does::Fails, Does::Fails]);
    let scene = relay_runs(script.make_contiguous()).await;
    scene.pass(400).await;
    let ticks = scene.app.notes.of("relay");
    let waits: Vec<u64> = ticks.windows(2).map(|two| two[1] - two[0]).take(15).collect();
    let failing = [(1, 2), (2, 4), (4, 8), (8, 16), (16, 32), (30, 60), (30, 60), (30, 60), (30, 60)];
    within(&waits[..9], &failing);
    // After the success that was idle 1, after the one that found more none.
    within(&waits[9..], &[(1, 1), (1, 2), (0, 0), (1, 2), (2, 4), (1, 1)]);
}

#[tokio::test]
async fn processes_that_fail_together_come_back_apart() {
    let mut ticks = BTreeSet::new();
    for _ in 0..8 {
        let scene = relay_runs(&[Does::Fails; 8]).await;
        scene.pass(120).await;
        ticks.insert(scene.app.notes.of("relay")[6]);
    }
    // Of eight draws among tens of seconds, all alike would be one in 10⁸.
    assert!(ticks.len() > 1, "all came back at {ticks:?}");
}

#[tokio::test]
async fn a_panic_and_a_timeout_are_failures_like_any_other() {
    let scene = relay_runs(&[Does::Panics, Does::Hangs, Does::Fails]).await;
    scene.pass(50).await;
    let ticks = scene.app.notes.of("relay");
    let waits: Vec<u64> = ticks.windows(2).map(|two| two[1] - two[0]).take(3).collect();
    // The one that hangs does so for its 30 seconds.
    within(&waits, &[(1, 2), (32, 34), (4, 8)]);
}

#[tokio::test]
async fn more_is_asked_for_at_once() {
    let scene = relay_runs(&[Does::More; 20]).await;
    assert_eq!(scene.app.notes.of("relay"), [0; 21]);
    scene.pass(1).await;
    assert_eq!(scene.app.notes.of("relay").len(), 22);
}

/// On one thread: a poll that always finds more lets other polls and jobs run, and can be stopped.
#[tokio::test]
async fn a_poll_that_always_finds_more_starves_nobody() {
    let mut scene = Scene::new(|app| GREEDY.with(app), &[]).await;
    scene.pass(65).await;
    assert_eq!(scene.app.notes.of("slow"), [0, 20, 40, 60]);
    assert_eq!(scene.app.notes.of("job"), [60]);
    let greedy = scene.app.notes.of("greedy");
    assert!((0..=65).all(|second| greedy.contains(&second)));
    scene.stop().await;
    scene.runner.await.unwrap();
}

#[tokio::test]
async fn a_poll_that_hangs_delays_no_other() {
    let scene = Scene::new(|app| ALL.with(app), &[Does::Hangs]).await;
    scene.pass(65).await;
    let notes = &scene.app.notes;
    assert_eq!((notes.of("slow"), notes.of("job")), (vec![0, 20, 40, 60], vec![60]));
    assert_eq!(notes.of("relay")[..2], [0, 32]);
}

#[tokio::test]
async fn a_shutdown_ends_a_poll_that_waits() {
    let mut scene = relay_runs(&[Does::Fails; 9]).await;
    scene.pass(20).await;
    let before = scene.app.notes.all();
    scene.stop().await;
    assert!(scene.runner.is_finished(), "it does not wait for the next tick");
    assert_eq!(scene.app.notes.all(), before);
}

#[tokio::test]
async fn a_tick_may_end_within_the_grace_period() {
    let mut scene = relay_runs(&[Does::Works(5)]).await;
    scene.stop().await;
    scene.pass(4).await;
    assert!(!scene.runner.is_finished());
    scene.pass(1).await;
    assert!(scene.runner.is_finished());
    assert_eq!(scene.app.notes.all(), [("relay", 0), ("worked", 5)], "and no tick begins");
}

#[tokio::test]
async fn a_tick_that_outlives_the_grace_period_is_dropped() {
    let mut scene = relay_runs(&[Does::Works(20)]).await;
    scene.stop().await;
    scene.pass(10).await;
    assert!(scene.runner.is_finished());
    assert_eq!(scene.app.notes.all(), [("relay", 0)]);
}

#[tokio::test]
async fn a_runner_that_is_dropped_drops_its_polls() {
    let scene = relay_runs(&[]).await;
    scene.runner.abort();
    settle().await;
    scene.pass(5).await;
    assert_eq!(scene.app.notes.of("relay"), [0]);
}

#[test]
fn polls_are_listed_beside_the_jobs() {
    assert_eq!(ALL.polls().map(|poll| poll.name).collect::<Vec<_>>(), ["slow-relay", "relay"]);
    assert_eq!(ALL.iter().map(|job| job.name).collect::<Vec<_>>(), ["minutely"]);
    let relay = RELAY.polls().next().unwrap();
    assert_eq!((relay.every, relay.timeout), (SECOND, 30 * SECOND));
    assert_eq!(format!("{ALL:?}"), "[\"slow-relay\", \"minutely\", \"relay\"]");
}

#[tokio::test]
async fn a_poll_has_no_slot_to_fire() {
    let told = ALL.with(App::default()).fire("relay", start()).await.unwrap_err();
    assert_eq!(
        told.to_string(),
        "`relay` is a poll of this registry: it has no slots, so it is neither run by name nor paused; its jobs are `minutely`"
    );
}

#[tokio::test]
async fn the_function_stays_what_it_was() {
    let (clock, app) = (JobClock::new(VirtualClock::at(Slot::floor(start()))), App::default());
    assert_eq!(relay(&app.script, &app.notes, &clock).await.unwrap(), Tick::Idle);
}

fn lines(log: &Log, level: &str) -> Vec<String> {
    let text = log.text();
    text.lines().filter(|line| line.contains(level)).map(str::to_owned).collect()
}

#[test]
fn each_failed_tick_is_told_once_and_all_are_counted() {
    let (counts, log) = told(async {
        let mut scene =
            relay_runs(&[Does::More, Does::Fails, Does::Panics, Does::Hangs, Does::Idle, Does::Works(60)]).await;
        scene.pass(60).await;
        scene.stop().await;
        scene.pass(10).await;
        scene.runner.await.unwrap();
    });
    for outcome in ["more", "idle", "failed", "panicked", "timed_out", "cancelled"] {
        let counted = counts.get(&format!("steadfast_poll_ticks_total{{poll=relay,outcome={outcome}}}"));
        assert_eq!(counted, Some(&1), "{outcome} in {counts:?}");
    }
    let errors = lines(&log, "ERROR");
    assert_eq!(errors.len(), 3, "{errors:#?}");
    for (line, (said, longest)) in errors.iter().zip([
        ("the poll failed; its next tick is later poll=\"relay\" error=\"cannot reach postgres://…\" next_in=", 2.0),
        ("the poll panicked; its next tick is later poll=\"relay\" panic=at https://… next_in=", 4.0),
        ("the poll timed out and was dropped; its next tick is later poll=\"relay\" timeout=30s next_in=", 8.0),
    ]) {
        let (_, wait) = line.split_once(said).unwrap_or_else(|| panic!("{said} in {line}"));
        let wait: f64 = wait.split_once('s').unwrap().0.parse().unwrap();
        assert!((longest / 2.0..=longest).contains(&wait), "{line}");
        assert!(line.contains("steadfast.poll{"), "inside of its span: {line}");
    }
    assert_eq!(lines(&log, "WARN").len(), 1, "the one that the shutdown cut off: {}", log.text());
    assert_eq!(lines(&log, "poll registered").len(), 1);
    assert!(!log.text().contains(CANARY), "{}", log.text());
}
