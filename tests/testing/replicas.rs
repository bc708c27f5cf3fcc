//! `Replicas`: what happens to a process, to its machine and to its connection, as an application's tests say it.

use std::{
    fs,
    sync::{Arc, Mutex},
    time::{Duration, SystemTime},
};

use sqlx::SqlitePool;
use steadfast::{
    Classify, JobClock, Kind, Provide, Slot, SqliteLeases, UnitFailure, atomic_unit,
    clock::Clock as _,
    job,
    jobs::StartError,
    registry,
    sqlite::{Lease, Tx},
    testing::{Fault, MemoryLeases, Question, Replica, Replicas, VirtualClock},
};
use steadfast_tests::sqlite::Database;

const SECOND: Duration = Duration::from_secs(1);
const MINUTE: Duration = Duration::from_mins(1);

#[derive(Clone, Default)]
struct Notes(Arc<Mutex<Vec<String>>>);

impl Notes {
    fn add(&self, what: &str, slot: Slot, clock: &JobClock) {
        let after = clock.now().duration_since(slot.time()).unwrap_or_default().as_secs();
        self.0.lock().unwrap().push(format!("{what} {} +{after}", slot.unix_seconds() / 60 % 60));
    }

    fn take(&self) -> Vec<String> {
        std::mem::take(&mut *self.0.lock().unwrap())
    }
}

#[derive(Clone, Provide)]
struct App {
    notes: Notes,
}

#[job(name = "quick", cron = "*/10 * * * *", exclusive, timeout = "5m")]
#[allow(clippy::unused_async)] // a job is async, whatever its body does
async fn quick(slot: Slot, notes: &Notes, clock: &JobClock) -> Result<(), std::convert::Infallible> {
    notes.add("quick", slot, clock);
    Ok(())
}

#[job(name = "slow", cron = "*/10 * * * *", exclusive, timeout = "5m", on_shutdown = hand_back)]
async fn slow(slot: Slot, notes: &Notes, clock: &JobClock) -> Result<(), std::convert::Infallible> {
    notes.add("begins", slot, clock);
    clock.sleep(2 * MINUTE).await;
    notes.add("ends", slot, clock);
    Ok(())
}

registry! { static QUICK for App = [quick]; }
registry! { static SLOW for App = [slow]; }

#[path = "lost_slots.rs"]
mod lost_slots;

struct Scene {
    replicas: Replicas,
    memory: MemoryLeases,
    notes: Notes,
}

/// It is 03:09:00.
fn scene() -> Scene {
    let time = VirtualClock::at(Slot::utc(2026, 1, 2, 3, 9).unwrap());
    let memory = MemoryLeases::new(time.clone());
    Scene { replicas: Replicas::new(time, memory.clone()), memory, notes: Notes::default() }
}

impl Scene {
    fn quick(&self) -> Replica {
        let app = App { notes: self.notes.clone() };
        self.replicas.start(move |clock, leases| QUICK.with(app.clone()).clock(clock).leases(leases))
    }

    fn slow(&self) -> Replica {
        let app = App { notes: self.notes.clone() };
        self.replicas.start(move |clock, leases| SLOW.with(app.clone()).clock(clock).leases(leases))
    }
}

#[test]
fn a_day_passes_slot_by_slot_and_each_runs_once_at_its_time() {
    let scene = scene();
    let _three = [scene.quick(), scene.quick(), scene.quick()];
    scene.replicas.advance(Duration::from_hours(24));
    let notes = scene.notes.take();
    assert_eq!(notes.len(), 24 * 6);
    assert!(notes.iter().all(|note| note.ends_with(" +0")), "{notes:?}");
}

#[test]
fn a_crash_releases_nothing_and_a_restart_is_a_new_process() {
    let scene = scene();
    let (one, _two) = (scene.slow(), scene.slow());
    scene.replicas.advance(MINUTE + SECOND);
    one.crash();
    one.crash();
    assert!(!one.is_up() && scene.memory.is_held("slow"));
    scene.replicas.advance(9 * MINUTE);
    one.restart();
    assert!(one.is_up());
    scene.replicas.advance(3 * MINUTE);
    assert_eq!(scene.notes.take(), ["begins 10 +0", "begins 20 +0", "ends 20 +120"]);
    assert!(!scene.memory.is_held("slow"));
}

#[test]
fn a_shutdown_drains_and_hands_back_what_it_cuts_off() {
    let scene = scene();
    let one = scene.slow();
    scene.replicas.advance(MINUTE);
    one.shut_down();
    scene.replicas.advance(Duration::from_millis(24_999));
    assert!(one.is_up() && scene.memory.is_held("slow"), "the grace is 25 s");
    scene.replicas.advance(Duration::from_millis(1));
    assert!(!one.is_up() && !scene.memory.is_held("slow"));
    assert_eq!(scene.memory.last_slot("slow"), None, "handed back");
    assert_eq!(scene.notes.take(), ["begins 10 +0"]);
}

#[test]
fn a_slot_that_is_handed_back_is_run_by_a_replica_that_is_up() {
    let scene = scene();
    let (one, two) = (scene.slow(), scene.slow());
    scene.replicas.advance(MINUTE);
    assert_eq!(scene.notes.take(), ["begins 10 +0"]);
    one.shut_down();
    // Its grace, and at most half a minute until somebody looks.
    scene.replicas.advance(MINUTE);
    let taken_over = scene.notes.take();
    let [begins] = &*taken_over else { panic!("{taken_over:?}") };
    assert!(begins.starts_with("begins 10 +"), "{begins}");
    // Nine minutes for a run of two, before the next slot.
    scene.replicas.advance(8 * MINUTE);
    assert_eq!(scene.notes.take().len(), 1, "it ends");
    assert!(two.is_up() && scene.memory.last_slot("slow").is_some());
}

#[test]
fn a_slot_that_is_handed_back_is_run_by_a_replica_that_starts() {
    // Before the hand-back, as in a rolling deploy, and after it.
    for before in [true, false] {
        let scene = scene();
        let one = scene.slow();
        scene.replicas.advance(MINUTE + SECOND);
        let two = before.then(|| scene.slow());
        scene.replicas.advance(SECOND);
        one.shut_down();
        scene.replicas.advance(MINUTE);
        let two = two.unwrap_or_else(|| scene.slow());
        scene.replicas.advance(3 * MINUTE);
        let notes = scene.notes.take();
        let begun = notes.iter().filter(|note| note.starts_with("begins 10 +")).count();
        assert_eq!((begun, notes.len()), (2, 3), "{notes:?}");
        assert!(two.is_up());
    }
}

#[test]
fn a_slot_that_is_not_handed_back_is_nobody_elses() {
    for crashes in [true, false] {
        let scene = scene();
        let (one, _two) = (scene.slow(), scene.slow());
        scene.replicas.advance(MINUTE + SECOND);
        let _three = scene.slow();
        if crashes {
            one.crash();
        }
        scene.replicas.advance(8 * MINUTE);
        let notes = scene.notes.take();
        assert_eq!(notes.iter().filter(|note| note.starts_with("begins")).count(), 1, "{notes:?}");
    }
}

#[test]
fn the_waits_of_a_paused_process_go_on_and_those_of_a_machine_asleep_do_not() {
    // What a paused run waited for is over when it goes on, and so is its timeout, which is asked first.
    for (suspended, ends) in [(false, &[][..]), (true, &["ends 10 +540"][..])] {
        let scene = scene();
        let one = scene.slow();
        scene.replicas.advance(MINUTE + SECOND);
        if suspended {
            one.suspend();
        } else {
            one.pause();
        }
        scene.replicas.advance(7 * MINUTE);
        assert_eq!(scene.notes.take(), ["begins 10 +0"], "nothing runs meanwhile");
        assert_eq!(one.clock().now(), scene.replicas.clock().now());
        one.resume();
        scene.replicas.advance(119 * SECOND);
        assert_eq!(scene.notes.take(), ends);
    }
}

#[test]
fn clocks_of_replicas_differ_and_a_lost_acknowledgement_loses_no_slot() {
    let scene = scene();
    let (one, two) = (scene.quick(), scene.quick());
    one.clock().set_wall(scene.replicas.clock().now() + 20 * SECOND);
    two.clock().set_wall(scene.replicas.clock().now() - Duration::from_hours(1));
    one.leases().next(Question::Claim, Fault::AnswerLost);
    scene.replicas.advance(39 * SECOND);
    assert!(scene.notes.take().is_empty());
    scene.replicas.advance(3 * SECOND);
    assert_eq!(scene.notes.take().len(), 1, "twenty seconds early, and asked again");
    assert_eq!(one.leases().asked(Question::Claim), 2);
    scene.replicas.advance(61 * MINUTE);
    assert!(two.leases().asked(Question::Claim) > 0, "an hour behind, it asks");
    assert_eq!(scene.notes.take().len(), 6, "and gets nothing");
}

#[test]
fn an_answer_that_is_late_is_waited_for_and_its_run_begins_then() {
    let scene = scene();
    let (one, two) = (scene.quick(), scene.quick());
    one.leases().next(Question::Claim, Fault::AnswerHeld);
    scene.replicas.advance(2 * MINUTE);
    assert_eq!((one.leases().held(), scene.notes.take().len()), (1, 0));
    assert_eq!(two.leases().asked(Question::Claim), 1);
    one.leases().let_go();
    scene.replicas.settle();
    assert_eq!(scene.notes.take(), ["quick 10 +60"]);
    two.pause();
    two.shut_down();
    assert!(two.is_up(), "it does not hear it");
    two.resume();
    assert!(!two.is_up());
}

#[test]
fn a_start_that_fails_says_why_and_can_be_tried_again() {
    let scene = scene();
    let one = scene.quick();
    one.leases().down();
    one.restart();
    assert!(!one.is_up());
    assert!(matches!(one.take_start_error(), Some(StartError::Leases(_))));
    assert!(one.take_start_error().is_none());
    one.leases().up();
    one.restart();
    assert!(one.is_up() && one.take_start_error().is_none());
}

#[test]
fn thousands_of_crashes_leave_nothing_open() {
    let scene = scene();
    let one = scene.slow();
    let open = || fs::read_dir("/proc/self/fd").map_or(0, Iterator::count);
    let before = open();
    for _ in 0..3_000 {
        scene.replicas.advance(MINUTE);
        one.restart();
    }
    // Others test at the same time.
    assert!(open() < before + 500, "{} files, {before} before", open());
}

#[test]
#[should_panic(expected = "a replica that is not up cannot be paused; start it first, for example `replica.restart()`")]
fn what_is_not_up_cannot_be_paused() {
    let scene = scene();
    let one = scene.quick();
    one.crash();
    one.pause();
}

#[tokio::test]
#[should_panic(expected = "write a plain test, for example `#[test] fn …`")]
async fn a_test_in_a_runtime_is_told_so() {
    let _scene = scene();
}

#[derive(Debug, thiserror::Error, Classify)]
enum Failed {
    #[error(transparent)]
    #[classify(transparent)]
    Db(#[from] sqlx::Error),
    #[error(transparent)]
    #[classify(transparent)]
    Unit(#[from] UnitFailure),
}

#[derive(Clone, Provide)]
struct Shop {
    db: SqlitePool,
    notes: Notes,
}

#[atomic_unit(retry = contention, fence = lease)]
async fn bill(tx: &mut Tx<'_>, lease: &Lease) -> Result<(), Failed> {
    sqlx::query("insert into bills values ($1)").bind(lease.slot().unix_seconds()).execute(&mut *tx).await?;
    Ok(())
}

#[job(name = "bills", cron = "*/10 * * * *", exclusive, timeout = "5m")]
async fn bills(slot: Slot, db: &SqlitePool, notes: &Notes, clock: &JobClock, lease: &Lease) -> Result<(), Failed> {
    bill(db, lease).await?;
    clock.sleep(2 * MINUTE).await;
    match bill(db, lease).await {
        Ok(()) => notes.add("twice", slot, clock),
        Err(Failed::Unit(failure)) if failure.kind() == Kind::LeaseLost => notes.add("superseded", slot, clock),
        Err(error) => return Err(error),
    }
    Ok(())
}

registry! { static BILLS for Shop = [bills]; }

/// On a database of its own threads: `work_outside` makes the test as repeatable as one in memory.
#[test]
fn a_machine_that_wakes_past_its_lease_commits_nothing_on_sqlite() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let (database, db) = runtime.block_on(async {
        let database = Database::create().await;
        let db = database.another_pool(4, 5 * SECOND).await;
        SqliteLeases::new(&db).install().await.unwrap();
        sqlx::query("create table bills (slot integer not null)").execute(&db).await.unwrap();
        while db.num_idle() < db.size() as usize {
            tokio::task::yield_now().await;
        }
        (database, db)
    });
    // The slots are those of this hour; the database's clock is real, and the test is over before it matters.
    let hour = Slot::floor(SystemTime::now()).unix_seconds() / 3600 * 3600;
    let time = VirtualClock::at(Slot::from_unix_seconds(hour + 9 * 60));
    let leases = SqliteLeases::new(&db).clock_tolerance(Duration::from_hours(24));
    let replicas = Replicas::new(time, leases);
    let pool = db.clone();
    replicas.work_outside(move || pool.num_idle() < pool.size() as usize);
    let shop = Shop { db: db.clone(), notes: Notes::default() };
    let [one, two] = [shop.clone(), shop.clone()]
        .map(|shop| replicas.start(move |clock, leases| BILLS.with(shop.clone()).clock(clock).leases(leases)));

    // Of two that ask a database at one instant either may be first.
    two.clock().set_wall(replicas.clock().now() - SECOND);

    replicas.advance(MINUTE + 2 * SECOND);
    one.suspend();
    replicas.advance(10 * MINUTE + 10 * SECOND);
    one.resume();
    replicas.advance(3 * MINUTE);
    assert_eq!(shop.notes.take(), ["twice 20 +120", "superseded 10 +730"]);
    let rows: Vec<i64> = runtime.block_on(sqlx::query_scalar("select slot from bills").fetch_all(&db)).unwrap();
    assert_eq!(rows, [10, 20, 20].map(|minute| hour + minute * 60));
    drop(database);
}
