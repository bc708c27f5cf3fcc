//! Ways to lose a slot while a replica is up: a hand-back that meets something else, a start within the splay, a store that is slow or
//! loses its answers.

use futures_util::FutureExt as _;
use steadfast::{
    LeaseStore as _, Registry,
    jobs::{Claim, NeedsLeases, RunId},
};

use super::*;

#[job(name = "splayed", cron = "0 * * * *", exclusive, timeout = "5m", splay = "30m")]
#[allow(clippy::unused_async)] // a job is async, whatever its body does
async fn splayed(slot: Slot, notes: &Notes, clock: &JobClock) -> Result<(), std::convert::Infallible> {
    notes.add("splayed", slot, clock);
    Ok(())
}

#[job(name = "caught", cron = "*/30 * * * *", exclusive, timeout = "5m", catch_up = "25m")]
#[allow(clippy::unused_async)] // a job is async, whatever its body does
async fn caught(slot: Slot, notes: &Notes, clock: &JobClock) -> Result<(), std::convert::Infallible> {
    notes.add("caught", slot, clock);
    Ok(())
}

registry! { static SPLAYED for App = [splayed]; }
registry! { static CAUGHT for App = [caught]; }

impl Scene {
    fn start(&self, jobs: &'static Registry<App, NeedsLeases>) -> Replica {
        let app = App { notes: self.notes.clone() };
        self.replicas.start(move |clock, leases| jobs.with(app.clone()).clock(clock).leases(leases))
    }
}

/// The memory answers at once.
fn now<F: Future>(answer: F) -> F::Output {
    answer.now_or_never().expect("at once")
}

#[test]
fn a_run_by_hand_between_the_hand_back_and_who_takes_over() {
    let scene = scene();
    let (one, _two) = (scene.slow(), scene.slow());
    scene.replicas.advance(MINUTE + SECOND);
    one.shut_down();
    // Its grace is over: the slot is given back, and somebody is faster by hand.
    scene.replicas.advance(26 * SECOND);
    let (run, clock) = (RunId::random(), scene.replicas.clock());
    assert!(
        !one.is_up() && now(scene.memory.claim(&Claim::manual("slow", 6 * MINUTE, &run, &clock))).unwrap().is_won()
    );
    scene.replicas.advance(40 * SECOND);
    assert_eq!(scene.notes.take(), ["begins 10 +0"]);
    now(scene.memory.release("slow", run.as_str())).unwrap();
    scene.replicas.advance(8 * MINUTE);
    let notes = scene.notes.take();
    assert!(notes.len() == 2 && notes[0].starts_with("begins 10") && notes[1].starts_with("ends 10"), "{notes:?}");
}

#[test]
fn a_replica_that_could_not_ask_stands_by_all_the_same() {
    let scene = scene();
    let (one, two) = (scene.slow(), scene.slow());
    scene.replicas.advance(59 * SECOND);
    two.leases().down();
    scene.replicas.advance(15 * SECOND);
    two.leases().up();
    one.shut_down();
    scene.replicas.advance(8 * MINUTE);
    assert_eq!(scene.notes.take().len(), 3, "begun, begun again, ended");
}

#[test]
fn a_claim_that_was_applied_and_never_answered_is_given_back() {
    let scene = scene();
    let (one, _two) = (scene.slow(), scene.slow());
    for _ in 0..4 {
        one.leases().next(Question::Claim, Fault::AnswerLost);
    }
    scene.replicas.advance(9 * MINUTE);
    assert_eq!(scene.notes.take().len(), 2, "the other one runs it");
}

#[test]
fn a_rolling_deploy_within_the_splay_loses_no_slot() {
    let scene = scene();
    scene.replicas.advance(50 * MINUTE);
    let one = scene.start(&SPLAYED);
    scene.replicas.advance(2 * MINUTE);
    // It is 04:01; the slot of 04:00 starts later.
    let _two = scene.start(&SPLAYED);
    scene.replicas.advance(SECOND);
    assert_eq!(scene.notes.take(), [""; 0]);
    one.shut_down();
    scene.replicas.advance(58 * MINUTE);
    assert_eq!(scene.notes.take().len(), 1);
}

#[test]
fn a_store_that_is_silent_at_the_start_holds_up_no_shutdown() {
    let scene = scene();
    let one = scene.start(&CAUGHT);
    one.crash();
    one.leases().next(Question::Row, Fault::QuestionHeld);
    one.restart();
    one.shut_down();
    scene.replicas.advance(MINUTE);
    assert!(!one.is_up());
}
