//! What a job says of its lease and its start besides: `heartbeat`, `on_shutdown = hand_back`, `catch_up`, `splay`. On a virtual clock
//! and leases in memory.

use std::{
    convert::Infallible,
    future::pending,
    sync::{Arc, Mutex},
    time::{Duration, SystemTime},
};

use steadfast::{
    JobClock, LeaseStore as _, Provide, RunOutcome, Slot,
    clock::Clock as _,
    job,
    jobs::{Claim, JobMeta as _, LEASE_MARGIN, LostCause, RunId},
    registry,
    testing::{self, MemoryLeases, VirtualClock},
};
use tokio::{sync::oneshot, task::JoinHandle};

const SECOND: Duration = Duration::from_secs(1);
const MINUTE: Duration = Duration::from_mins(1);

#[derive(Clone, Default)]
struct Notes(Arc<Mutex<Vec<String>>>);

impl Notes {
    fn add(&self, note: String) {
        self.0.lock().unwrap().push(note);
    }

    fn all(&self) -> Vec<String> {
        self.0.lock().unwrap().clone()
    }
}

#[derive(Clone, Provide)]
struct App {
    notes: Notes,
}

#[job(name = "long", cron = "0 3 * * *", exclusive, timeout = "1h", heartbeat)]
async fn long(slot: Slot, notes: &Notes, clock: &JobClock) -> Result<(), Infallible> {
    notes.add(format!("begins {slot}"));
    clock.sleep(40 * MINUTE).await;
    notes.add(format!("ends {slot}"));
    Ok(())
}

#[job(name = "hung", cron = "0 3 * * *", exclusive, timeout = "20m", heartbeat)]
async fn hung(_: Slot) -> Result<(), Infallible> {
    pending().await
}

#[job(name = "half-sent", cron = "0 3 * * *", exclusive, timeout = "10m", on_shutdown = hand_back)]
async fn half_sent(slot: Slot, notes: &Notes, clock: &JobClock) -> Result<(), Infallible> {
    notes.add(format!("half-sent {slot}"));
    clock.sleep(5 * MINUTE).await;
    notes.add(format!("sent {slot}"));
    Ok(())
}

#[job(name = "nightly", cron = "0 3 * * *", exclusive, timeout = "5m", catch_up = "12h")]
#[allow(clippy::unused_async)] // a job is async, whatever its body does
async fn nightly(slot: Slot, notes: &Notes) -> Result<(), Infallible> {
    notes.add(format!("nightly {slot}"));
    Ok(())
}

#[job(name = "spread", cron = "*/10 * * * *", timeout = "5m", splay = "5m")]
#[allow(clippy::unused_async)] // a job is async, whatever its body does
async fn spread(slot: Slot, notes: &Notes, clock: &JobClock) -> Result<(), Infallible> {
    let late = clock.now().duration_since(slot.time()).unwrap();
    notes.add(format!("spread {slot} after {} ms", late.as_millis()));
    Ok(())
}

registry! { static LONG for App = [long, hung]; }
registry! { static HALF_SENT for App = [half_sent]; }
registry! { static NIGHTLY for App = [nightly]; }
registry! { static SPREAD for App = [spread]; }

fn at(day: u32, hour: u32, minute: u32) -> Slot {
    Slot::utc(2026, 1, day, hour, minute).unwrap()
}

/// Lets every task go as far as it can.
async fn settle() {
    for _ in 0..50 {
        tokio::task::yield_now().await;
    }
}

async fn pass(clock: &VirtualClock, time: Duration) {
    for _ in 0..time.as_secs() {
        clock.advance(SECOND);
        settle().await;
    }
}

struct Scene {
    clock: VirtualClock,
    leases: MemoryLeases,
    app: App,
}

impl Scene {
    fn at(start: Slot) -> Self {
        let clock = VirtualClock::at(start);
        Self { leases: MemoryLeases::new(clock.clone()), clock, app: App { notes: Notes::default() } }
    }

    fn run(&self, name: &'static str) -> JoinHandle<RunOutcome> {
        let jobs = LONG.with(self.app.clone()).clock(self.clock.clone()).leases(self.leases.clone());
        let slot = Slot::floor(self.clock.now());
        tokio::spawn(async move { testing::run(&jobs, name, slot).await.unwrap() })
    }

    async fn rival_is_lost(&self, name: &str) -> Option<LostCause> {
        let (slot, run) = (Slot::floor(self.clock.now()), RunId::random());
        self.leases.claim(&Claim::new(name, slot, LEASE_MARGIN, &run, &self.clock)).await.unwrap().lost
    }

    fn notes(&self) -> Vec<String> {
        self.app.notes.all()
    }
}

/// Three minutes of lease, for a run of forty.
#[tokio::test]
async fn a_lease_with_a_heartbeat_is_renewed_while_the_run_is_alive() {
    let scene = Scene::at(at(2, 3, 0));
    let run = scene.run("long");
    settle().await;
    for _ in 0..39 {
        pass(&scene.clock, MINUTE).await;
        assert_eq!(scene.rival_is_lost("long").await, Some(LostCause::Held));
    }
    pass(&scene.clock, MINUTE).await;
    assert!(run.await.unwrap().is_completed());
    assert_eq!(scene.notes(), ["begins 2026-01-02T03:00:00Z", "ends 2026-01-02T03:00:00Z"]);
    assert_eq!(scene.rival_is_lost("long").await, None, "released");
}

/// After a crash another replica waits three minutes, and not for the timeout.
#[tokio::test]
async fn a_crash_costs_three_minutes() {
    let scene = Scene::at(at(2, 3, 0));
    let run = scene.run("long");
    settle().await;
    run.abort();
    pass(&scene.clock, 3 * MINUTE).await;
    assert_eq!(scene.rival_is_lost("long").await, Some(LostCause::Held));
    pass(&scene.clock, SECOND).await;
    assert_eq!(scene.rival_is_lost("long").await, None);
}

/// The clock is ten minutes off, so the store prolongs nothing: after two minutes the run ends, a minute before its lease does.
#[tokio::test]
async fn a_run_whose_lease_is_not_renewed_is_dropped_in_time() {
    let scene = Scene::at(at(2, 3, 0));
    let store_clock = VirtualClock::at(at(2, 3, 0));
    let leases = MemoryLeases::new(store_clock.clone());
    let scene = Scene { leases, ..scene };
    let run = scene.run("long");
    settle().await;
    pass(&scene.clock, 119 * SECOND).await;
    assert!(!run.is_finished());
    pass(&scene.clock, 2 * SECOND).await;
    assert!(matches!(run.await.unwrap(), RunOutcome::LeaseLost));
    assert_eq!(scene.notes(), ["begins 2026-01-02T03:00:00Z"]);
    assert!(scene.leases.is_held("long"), "not released: the work may still end");
}

#[tokio::test]
async fn a_run_whose_lease_is_another_ones_is_dropped() {
    let scene = Scene::at(at(2, 3, 0));
    let run = scene.run("long");
    settle().await;
    // Somebody has edited the row: another run of a later slot.
    let slot = at(2, 3, 0);
    let holder = scene.leases.holder("long").unwrap();
    scene.leases.hand_back("long", slot, &holder).await.unwrap();
    assert_eq!(scene.rival_is_lost("long").await, None);
    pass(&scene.clock, MINUTE).await;
    assert!(matches!(run.await.unwrap(), RunOutcome::LeaseLost));
}

#[tokio::test]
async fn no_heartbeat_keeps_a_hung_run_alive() {
    let scene = Scene::at(at(2, 3, 0));
    let run = scene.run("hung");
    settle().await;
    pass(&scene.clock, 20 * MINUTE).await;
    assert!(matches!(run.await.unwrap(), RunOutcome::TimedOut));
    assert!(scene.leases.is_held("hung"), "the work may go on: the lease runs out");
    pass(&scene.clock, 4 * MINUTE).await;
    assert_eq!(scene.rival_is_lost("hung").await, None);
}

/// A replica that is stopped in the middle, and one that runs the same slot afterwards.
#[tokio::test]
async fn a_run_that_is_cut_off_gives_its_slot_back() {
    let scene = Scene::at(at(2, 2, 59));
    let replica = || {
        let jobs = HALF_SENT.with(scene.app.clone()).clock(scene.clock.clone()).leases(scene.leases.clone());
        let (stop, stopped) = oneshot::channel::<()>();
        let end = async { drop(stopped.await) };
        (stop, tokio::spawn(jobs.grace(10 * SECOND).run_until(end).into_future()))
    };
    let (stop, first) = replica();
    settle().await;
    pass(&scene.clock, MINUTE).await;
    assert_eq!(scene.notes(), ["half-sent 2026-01-02T03:00:00Z"]);
    drop(stop);
    settle().await;
    pass(&scene.clock, 11 * SECOND).await;
    first.await.unwrap().unwrap();
    assert_eq!(scene.leases.last_slot("half-sent"), None, "none is taken");
    let jobs = HALF_SENT.with(scene.app.clone()).clock(scene.clock.clone()).leases(scene.leases.clone());
    let again = tokio::spawn(async move { jobs.fire("half-sent", at(2, 3, 0).time()).await.unwrap() });
    settle().await;
    pass(&scene.clock, 5 * MINUTE).await;
    assert!(again.await.unwrap().is_completed());
    assert_eq!(scene.notes()[1..], ["half-sent 2026-01-02T03:00:00Z", "sent 2026-01-02T03:00:00Z"]);
    assert_eq!(scene.leases.last_slot("half-sent"), Some(at(2, 3, 0)));
}

/// What a start at `start` runs when `last` was the last slot that was claimed.
async fn caught_up(last: Option<Slot>, start: Slot) -> Vec<String> {
    let scene = Scene::at(start);
    if let Some(last) = last {
        let run = RunId::random();
        let before = VirtualClock::at(last);
        let leases = MemoryLeases::new(before.clone());
        assert!(leases.claim(&Claim::new("nightly", last, LEASE_MARGIN, &run, &before)).await.unwrap().is_won());
        leases.release("nightly", run.as_str()).await.unwrap();
        before.set_wall(start.time());
        let scene = Scene { leases, ..scene };
        return started(&scene).await;
    }
    started(&scene).await
}

async fn started(scene: &Scene) -> Vec<String> {
    for _ in 0..2 {
        let jobs = NIGHTLY.with(scene.app.clone()).clock(scene.clock.clone()).leases(scene.leases.clone());
        let running = tokio::spawn(jobs.run_until(pending()).into_future());
        settle().await;
        running.abort();
    }
    scene.notes()
}

#[tokio::test]
async fn the_latest_slot_that_was_missed_is_caught_up_once() {
    assert_eq!(caught_up(Some(at(1, 3, 0)), at(2, 3, 30)).await, ["nightly 2026-01-02T03:00:00Z"]);
    assert_eq!(caught_up(Some(at(1, 3, 0)), at(9, 14, 59)).await, ["nightly 2026-01-09T03:00:00Z"], "the latest alone");
}

#[tokio::test]
async fn nothing_else_is_caught_up() {
    for (last, start, why) in [
        (None, at(2, 3, 30), "the first start"),
        (Some(at(2, 3, 0)), at(2, 3, 30), "nothing was missed"),
        (Some(at(1, 3, 0)), at(2, 15, 1), "too late"),
        (Some(at(1, 4, 0)), at(2, 3, 30), "the row is of another schedule"),
    ] {
        assert_eq!(caught_up(last, start).await, [""; 0], "{why}");
    }
}

#[tokio::test]
async fn a_splay_moves_the_start_and_not_the_slot() {
    let scene = Scene::at(at(2, 2, 59));
    let jobs = SPREAD.with(scene.app.clone()).clock(scene.clock.clone());
    let running = tokio::spawn(jobs.run_until(pending()).into_future());
    settle().await;
    pass(&scene.clock, 30 * MINUTE).await;
    running.abort();
    let notes = scene.notes();
    assert_eq!(notes.len(), 3, "{notes:?}");
    let offsets: Vec<u128> = notes.iter().map(|note| note.split(' ').rev().nth(1).unwrap().parse().unwrap()).collect();
    assert!(offsets.iter().all(|late| late.abs_diff(offsets[0]) <= 1000 && (1..300_000).contains(late)), "{notes:?}");
    let slots: Vec<_> = notes.iter().map(|note| note.split(' ').nth(1).unwrap()).collect();
    assert_eq!(slots, ["2026-01-02T03:00:00Z", "2026-01-02T03:10:00Z", "2026-01-02T03:20:00Z"]);
}

#[test]
fn the_next_slots_are_known() {
    let next: Vec<_> = spread::META.slots_after(at(2, 2, 55).time()).take(3).collect();
    assert_eq!(next, [at(2, 3, 0), at(2, 3, 10), at(2, 3, 20)]);
    let _: SystemTime = next[0].time();
}
