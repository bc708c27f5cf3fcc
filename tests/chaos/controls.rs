//! Each protection and what it is for: a script in which it is needed, played with it and without it.
//!
//! With it, the books find nothing; without it, they find what it keeps from happening. A protection is taken away from a replica
//! of the script, by the store in `tests/bin/chaos_replica` or by leaving out a unit's fence.

use steadfast_tests::{
    chaos::{Event, Removed, Settings, Version},
    proxy::{Fate, Moment},
    tally,
};

use super::{
    FENCED, HANDED, HEARTBEAT, JOBS, MINUTE, PLAIN,
    audit::Findings,
    faults::Fault,
    stage::{Stage, minutes},
};

/// Plays the script twice, side by side.
async fn compared(
    protection: &str,
    removed: Removed,
    script: impl AsyncFn(Option<Removed>) -> Findings,
    count: impl Fn(&Findings) -> usize,
) {
    let (with, without) = tokio::join!(script(None), script(Some(removed)));
    tally::chaos("control", protection, &count(&with).to_string(), &count(&without).to_string());
    assert_eq!((with.violations(), count(&with)), (0, 0), "with {protection}: {with:?}");
    assert!(count(&without) > 0, "without {protection}: {without:?}");
}

/// A run that is at work for ten minutes, and a second replica that tries for its slots.
async fn beside_a_long_run(rival: impl FnOnce(Settings) -> Settings, ahead: i64) -> Findings {
    let mut stage = Stage::new(600).await;
    let patient = Settings { version: Version::Patient, plain: minutes(10), ..stage.settings(1) };
    let one = stage.enter(patient.clone()).await;
    stage.has_begun(1, PLAIN).await;
    let other = stage.enter(rival(Settings { number: 2, ..patient })).await;
    stage.is_answered(2, PLAIN, 1).await;
    stage.replica(other).move_clock(ahead);
    // Not three times: who has won is at work.
    stage.is_answered(2, PLAIN, 2).await;
    stage.is_alive(1, PLAIN).await;
    stage.replica(one).assert_alive();
    stage.findings((PLAIN, 1)).await
}

macro_rules! control {
    ($(#[$meta:meta])* async fn $name:ident() $body:block) => {
        $(#[$meta])*
        #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
        #[ignore = "needs PostgreSQL: tests/run"]
        async fn $name() $body
    };
}

control! {
    /// A clock that is ahead sees a live lease as ended.
    async fn a_clock_that_is_ahead_steals_no_lease() {
        let script = async |removed| beside_a_long_run(|rival| Settings { removed, ..rival }, 16 * MINUTE).await;
        compared("the guard of the claimer's clock", Removed::ClockGuard, script, |found| found.overlaps).await;
    }
}

control! {
    /// A deploy that shortens the timeout.
    async fn a_release_with_a_shorter_timeout_steals_no_lease() {
        let shorter = |removed| move |rival| Settings { removed, version: Version::Short, ..rival };
        let script = async |removed| beside_a_long_run(shorter(removed), 0).await;
        compared("a lease is judged by its own length", Removed::OwnLength, script, |found| found.overlaps).await;
    }
}

control! {
    /// A short job, and a replica whose clock is a little behind: it comes when the run is over and its lease released.
    async fn a_slot_that_is_over_is_not_begun_by_a_clock_that_is_behind() {
        let script = async |removed| {
            let mut stage = Stage::new(600).await;
            for number in [1, 2] {
                let entered = stage.enter(Settings { removed, plain: minutes(0), ..stage.settings(number) }).await;
                stage.replica(entered).move_clock(if number == 2 { -MINUTE / 3 } else { 0 });
            }
            stage.is_answered(1, PLAIN, 4).await;
            stage.is_answered(2, PLAIN, 4).await;
            stage.findings((PLAIN, 1)).await
        };
        compared("a slot is newer than the last one", Removed::TakenSlot, script, |found| found.double_starts).await;
    }
}

control! {
    /// The answer to the claim is lost with its connection.
    async fn a_claim_whose_answer_is_lost_loses_no_slot() {
        let script = async |removed| {
            let mut stage = Stage::new(600).await;
            let entered = stage.enter(Settings { removed, ..stage.settings(1) }).await;
            for (job, _) in JOBS {
                stage.has_begun(1, job).await;
            }
            // Whichever of its jobs claim next: all of them are looked at.
            stage.replica(entered).seat.proxy.script_at(Moment::Claim, [Fate::SwallowAnswer; 2]);
            stage.until("the claims are struck", async |stage| stage.claims_to_be_struck() == 0).await;
            let asked = stage.scene.answers(1, PLAIN);
            stage.is_answered(1, PLAIN, asked + 8).await;
            stage.findings_of_all().await
        };
        compared("the same run may ask again", Removed::SameRun, script, Findings::unexplained).await;
    }
}

control! {
    /// A release arrives when its lease has run out and another run is alive.
    async fn a_run_that_was_overtaken_releases_nothing_of_its_successor() {
        let script = async |removed| {
            let mut stage = Stage::new(600).await;
            let late = Settings { version: Version::Short, released_after: minutes(6), ..stage.settings(1) };
            stage.enter(Settings { removed, ..late }).await;
            stage.has_begun(1, PLAIN).await;
            // Between its work and its release it is as good as stopped.
            stage.struck(Fault::Stopped, Some(1));
            let long = Settings { version: Version::Patient, plain: minutes(12), ..stage.settings(2) };
            stage.enter(long).await;
            stage.has_begun(2, PLAIN).await;
            // It asks again when its release is answered, and then as often as a slot is due.
            let asked = stage.scene.answers(1, PLAIN);
            stage.is_answered(1, PLAIN, asked + 2).await;
            stage.is_alive(2, PLAIN).await;
            stage.findings((PLAIN, 1)).await
        };
        compared("a release is guarded by its run", Removed::GuardedRelease, script, |found| found.overlaps).await;
    }
}

control! {
    /// A run that outlives its lease by renewing it.
    async fn a_run_that_renews_its_lease_is_not_overtaken() {
        let script = async |removed| {
            let mut stage = Stage::new(600).await;
            stage.enter(Settings { removed, heartbeat: minutes(9), ..stage.settings(1) }).await;
            stage.has_begun(1, HEARTBEAT).await;
            stage.enter(Settings { heartbeat: minutes(1) / 2, ..stage.settings(2) }).await;
            // The lease lasts three minutes from the claim on.
            stage.is_answered(2, HEARTBEAT, 4).await;
            stage.is_alive(1, HEARTBEAT).await;
            stage.findings((HEARTBEAT, 1)).await
        };
        compared("a renewal prolongs the lease", Removed::Renewal, script, |found| found.overlaps).await;
    }
}

control! {
    /// A process that was stopped past its lease goes on with a unit when a later slot is committed.
    async fn a_unit_of_a_run_that_was_overtaken_does_not_commit() {
        let script = async |removed| {
            let mut stage = Stage::new(600).await;
            let short = Settings { version: Version::Short, ..stage.settings(1) };
            let stopped = stage.enter(Settings { removed, fenced: minutes(1) * 5 / 6, ..short.clone() }).await;
            stage.has_begun(1, FENCED).await;
            stage.stop(stopped).await;
            stage.enter(Settings { number: 2, ..short }).await;
            stage.until("the successor commits", async |stage| stage.scene.events(2, FENCED, Event::Applied) > 0).await;
            stage.resume(stopped).await;
            stage.has_written(1, FENCED).await;
            stage.findings((FENCED, 1)).await
        };
        compared("the fence, of a stopped run", Removed::Fence, script, |found| found.slots_down).await;
    }
}

/// A run that is cut off by a shutdown, with work that goes on for `lingers` minutes after its start; then its replacement.
async fn handed_over(removed: Option<Removed>, lingers: u32, at_once: bool) -> Findings {
    let mut stage = Stage::new(2000).await;
    // What a job that never ran has missed is not caught up.
    stage.has_run_before(HANDED, 5).await;
    let one = stage.enter(Settings { removed, handed: minutes(lingers), ..stage.settings(1) }).await;
    stage.has_begun(1, HANDED).await;
    stage.struck(Fault::Deployed, None);
    if at_once {
        stage.replica(one).signal("TERM").await;
        stage.until("the slot is given back", async |stage| stage.was_given_back(HANDED).await).await;
    } else {
        stage.replica(one).end().await;
    }
    stage.enter(stage.settings(2)).await;
    stage.is_answered(2, PLAIN, 2).await;
    if at_once {
        stage.has_written(1, HANDED).await;
        stage.has_written(2, HANDED).await;
    }
    stage.findings((HANDED, 5)).await
}

control! {
    /// Work that goes on after its run was cut off and its slot given back, and another run's of the same slot.
    async fn a_unit_of_a_run_that_gave_its_slot_back_does_not_commit() {
        let script = async |removed| handed_over(removed, 3, true).await;
        compared("the fence, of a slot that was given back", Removed::Fence, script, |found| found.double_commits).await;
    }
}

control! {
    /// A slot that a shutdown cut off is run by the replica that comes next.
    async fn a_slot_that_was_cut_off_is_begun_again() {
        let script = async |removed| handed_over(removed, 1, false).await;
        let cut_off_for_good = |found: &Findings| usize::from(found.handed_over == 0);
        compared("the hand-back at a shutdown", Removed::HandBack, script, cut_off_for_good).await;
    }
}
