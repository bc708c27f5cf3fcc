//! All jobs of one cron line, for a trigger that knows the line alone.

use std::{
    sync::{Arc, Mutex},
    time::{Duration, SystemTime},
};

use steadfast::{
    Provide, Slot, job,
    jobs::{Fired, LostCause, NotClaimed, RunOutcome},
    registry,
    testing::{FaultyLeases, MemoryLeases, Question, VirtualClock},
};
use tokio::sync::Barrier;

type Seen = Arc<Mutex<Vec<(&'static str, Slot)>>>;

struct Notes {
    seen: Seen,
    /// Passed by two at once, or by nobody.
    both: Barrier,
}

impl Notes {
    fn add(&self, job: &'static str, slot: Slot) {
        self.seen.lock().unwrap().push((job, slot));
    }
}

#[derive(Provide)]
struct App {
    notes: Notes,
}

#[derive(Debug, thiserror::Error)]
#[error("the provider is down")]
struct Down;

#[job(name = "first", cron = "0 3 * * *", timeout = "5m")]
async fn first(slot: Slot, notes: &Notes) -> Result<(), Down> {
    notes.both.wait().await;
    notes.add("first", slot);
    Ok(())
}

#[job(name = "fails", cron = "0 3 * * *", timeout = "5m")]
#[allow(clippy::unused_async)] // a job is async, whatever its body does
async fn fails(slot: Slot, notes: &Notes) -> Result<(), Down> {
    notes.add("fails", slot);
    Err(Down)
}

#[job(name = "panics", cron = "0 3 * * *", timeout = "5m")]
#[allow(clippy::unused_async)]
async fn panics(_: Slot) -> Result<(), Down> {
    panic!("not today")
}

#[job(name = "second", cron = "00 03 * * *", exclusive, timeout = "5m")]
async fn second(slot: Slot, notes: &Notes) -> Result<(), Down> {
    notes.both.wait().await;
    notes.add("second", slot);
    Ok(())
}

#[job(name = "another-line", cron = "0 4 * * *", exclusive, timeout = "5m")]
#[allow(clippy::unused_async)]
async fn another_line(slot: Slot, notes: &Notes) -> Result<(), Down> {
    notes.add("another-line", slot);
    Ok(())
}

registry! { static JOBS for App = [first, fails, panics, second, another_line]; }

fn app() -> (App, Seen) {
    let seen = Seen::default();
    (App { notes: Notes { seen: Arc::clone(&seen), both: Barrier::new(2) } }, seen)
}

fn slot() -> Slot {
    Slot::utc(2026, 1, 2, 3, 0).unwrap()
}

/// 49 seconds after the minute, as in Cloudflare's own example of an event.
fn scheduled() -> SystemTime {
    slot().time() + Duration::from_secs(49)
}

fn failed(fired: &Fired) -> Vec<&'static str> {
    fired.failed().map(|(job, _)| job.name).collect()
}

#[tokio::test]
async fn every_job_of_the_line_runs_the_minute_side_by_side() {
    let (app, seen) = app();
    let clock = VirtualClock::at(slot());
    let jobs = JOBS.with(app).leases(MemoryLeases::new(clock.clone())).clock(clock);
    let fired = jobs.fire_cron("0 3 * * *", scheduled()).await.unwrap();
    let outcomes: Vec<_> = fired.runs().map(|(job, outcome)| (job.name, outcome.as_str())).collect();
    let expected = [("first", "completed"), ("fails", "failed"), ("panics", "panicked"), ("second", "completed")];
    assert_eq!(outcomes, expected, "in the order of the registry");
    assert_eq!(failed(&fired), ["fails", "panics"]);
    let mut seen = seen.lock().unwrap().clone();
    seen.sort_unstable();
    assert_eq!(seen, [("fails", slot()), ("first", slot()), ("second", slot())]);
    assert!(format!("{fired:?}").contains(r#""fails": Failed(the provider is down)"#), "{fired:?}");
}

#[tokio::test]
async fn a_slot_that_was_had_is_no_failure_and_a_store_that_is_down_is_one() {
    let (app, seen) = app();
    let clock = VirtualClock::at(Slot::utc(2026, 1, 2, 4, 0).unwrap());
    let leases = FaultyLeases::new(MemoryLeases::new(clock.clone()));
    let jobs = JOBS.with(app).leases(leases.clone()).clock(clock.clone());
    let time = Slot::utc(2026, 1, 2, 4, 0).unwrap().time();
    assert_eq!(failed(&jobs.fire_cron("0 4 * * *", time).await.unwrap()), [] as [&str; 0]);
    let again = jobs.fire_cron("0 4 * * *", time).await.unwrap();
    assert_eq!(failed(&again), [] as [&str; 0]);
    let lost = |outcome: &RunOutcome| matches!(outcome, RunOutcome::NotClaimed(NotClaimed::Lost(LostCause::Slot)));
    assert!(again.runs().all(|(_, outcome)| lost(outcome)), "{again:?}");
    leases.down();
    let (down, ()) = tokio::join!(jobs.fire_cron("0 4 * * *", time), async {
        // The gaps between a claim's repeats.
        while leases.asked(Question::Claim) < 6 {
            clock.advance(Duration::from_secs(2));
            tokio::task::yield_now().await;
        }
    });
    assert_eq!(failed(&down.unwrap()), ["another-line"]);
    assert_eq!(seen.lock().unwrap().len(), 1);
}

#[tokio::test]
async fn an_unknown_line_names_the_lines_there_are() {
    let (app, seen) = app();
    let jobs = JOBS.with(app).leases(MemoryLeases::new(VirtualClock::at(slot())));
    // The same schedule in another text is another line: the platform hands out what was configured, character for character.
    let unknown = jobs.fire_cron("00 03 * * *\n", scheduled()).await.unwrap_err();
    assert_eq!(
        unknown.to_string(),
        "no job of this registry has the cron line `00 03 * * *\\n`; name its lines in the triggers, `JOBS.crons()` has them: \
         `0 3 * * *`, `0 4 * * *`"
    );
    for other in ["0 3 * * * ", "00 03 * * *", "0 3 * * ?", ""] {
        assert!(jobs.fire_cron(other, scheduled()).await.is_err(), "{other:?}");
    }
    assert!(seen.lock().unwrap().is_empty());
}
