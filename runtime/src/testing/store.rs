//! What every lease store must do, for stores of one's own.

use std::{
    fmt,
    sync::atomic::{AtomicI64, Ordering},
    time::{Duration, SystemTime},
};

use futures_util::future::join_all;

use crate::{
    clock::Clock,
    jobs::{Claim, LeaseErrorKind, LeaseStore, LostCause, RunId, Slot},
    platform::BoxFuture,
};

const LEASE: Duration = Duration::from_mins(6);
/// Runs out while the claimer's clock stays within what a store tolerates.
const SHORT_LEASE: Duration = Duration::from_secs(5);
/// How far the claimer's clock is moved, in milliseconds, to see a short lease run out: less than the 30 s that are tolerated, and with room for a
/// store that is slow to answer.
const LATER: i64 = 15_000;
/// More than is tolerated, by more than the suite takes, in milliseconds.
const OFF: i64 = 300_000;
const MINUTE: Duration = Duration::from_mins(1);
/// Of `Scene::start`, in minutes: the minute of now is the tenth.
const NOT_YET: [i64; 3] = [12, 70, 10 * 24 * 60];
const CLAIMERS: usize = 16;
/// A store may be busy under 16 claims at once; the runner asks again, too.
const ASKED: usize = 20;

/// Fails when a store does not keep the rules that exclusive jobs rest on: one holder a slot, an answer to a repeated claim, a
/// lease judged by its own length, the guard against clocks that are off, and release, renewal and hand-back by the holder alone
/// (`docs/rules.md#one-statement-claims-a-slot` and the rules after it).
///
/// For a [`LeaseStore`] of one's own; those of this crate pass it. `clock` is the clock that the store judges by:
/// [`SystemClock`](crate::clock::SystemClock) for one that has a real clock, the test's own for one that has that. The clocks may
/// differ by a few seconds. Rows are left behind, of jobs that are named `steadfast.check.…` with a random end, so give it a test's
/// database.
///
/// ```
/// use steadfast::testing::{MemoryLeases, VirtualClock, assert_lease_store};
/// # use steadfast::Slot;
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// let clock = VirtualClock::at(Slot::utc(2026, 1, 2, 3, 0).unwrap());
/// assert_lease_store(&MemoryLeases::new(clock.clone()), clock).await;
/// # });
/// ```
///
/// # Panics
/// At the first rule that is broken, with the rule.
pub async fn assert_lease_store(store: &dyn LeaseStore, clock: impl Clock) {
    if let Err(error) = store.check().await {
        panic!("`check` of a store that is there: {error}");
    }
    let check = Check { store, clock: Moved { of: Box::new(clock), millis: AtomicI64::new(0) } };
    check.one_holder_a_slot().await;
    check.a_lease_runs_out_by_its_own_length().await;
    check.a_clock_that_is_off_claims_nothing().await;
    check.a_slot_that_is_not_yet_is_nobodys().await;
    check.only_the_holder_releases().await;
    check.only_the_holder_renews().await;
    check.only_the_holder_hands_back().await;
    check.a_paused_job_claims_nothing().await;
    check.by_hand_the_lease_is_taken_and_no_slot().await;
    check.many_claim_and_one_wins().await;
}

/// The claimer's clock: the store's, moved.
struct Moved {
    of: Box<dyn Clock>,
    millis: AtomicI64,
}

impl Clock for Moved {
    fn now(&self) -> SystemTime {
        let millis = self.millis.load(Ordering::Relaxed);
        let by = Duration::from_millis(millis.unsigned_abs());
        if millis < 0 { self.of.now() - by } else { self.of.now() + by }
    }

    fn sleep(&self, duration: Duration) -> BoxFuture<'static, ()> {
        self.of.sleep(duration)
    }
}

struct Check<'a> {
    store: &'a dyn LeaseStore,
    clock: Moved,
}

/// A job of its own for each rule, so that what was left behind says nothing of it.
struct Scene<'a> {
    check: &'a Check<'a>,
    job: String,
    start: Slot,
}

impl Check<'_> {
    fn scene(&self, rule: &str) -> Scene<'_> {
        self.clock.millis.store(0, Ordering::Relaxed);
        let job = format!("steadfast.check.{rule}.{}", RunId::random());
        // So early that the slots after it are none that is not yet.
        Scene { check: self, job, start: Slot::floor(self.clock.now() - 10 * MINUTE) }
    }

    /// The claimer's clock is ahead of the store's by so many milliseconds.
    fn ahead(&self, millis: i64) {
        self.clock.millis.store(millis, Ordering::Relaxed);
    }

    async fn one_holder_a_slot(&self) {
        let scene = self.scene("slot");
        let (first, second) = (RunId::random(), RunId::random());
        let (slot, next) = (scene.slot(0), scene.slot(1));
        same("the last slot before the first claim", scene.last_slot().await, None);
        same("the first claim of a job", scene.claim(slot, LEASE, &first).await, None);
        same("the last slot after it", scene.last_slot().await, Some(slot));
        same("the same claim again, since its answer may have been lost", scene.claim(slot, LEASE, &first).await, None);
        same("the same slot, of another run", scene.claim(slot, LEASE, &second).await, Some(LostCause::Slot));
        same("an earlier slot", scene.claim(scene.slot(-1), LEASE, &second).await, Some(LostCause::Slot));
        same("the next slot during the run", scene.claim(next, LEASE, &second).await, Some(LostCause::Held));
        same(
            "the next slot, of the run that holds the lease",
            scene.claim(next, LEASE, &first).await,
            Some(LostCause::Held),
        );
        same("the holder holds it", scene.holds(slot, &first).await, true);
        same("another run holds it", scene.holds(slot, &second).await, false);
        same("the holder holds another slot", scene.holds(next, &first).await, false);
        scene.release(&first).await;
        same("it is held after the release", scene.holds(slot, &first).await, false);
        same("a lease that was released, renewed", scene.renew(slot, LEASE, &first).await, Ok(false));
        same("the same slot after the release", scene.claim(slot, LEASE, &second).await, Some(LostCause::Slot));
        same("the next slot after the release", scene.claim(next, LEASE, &second).await, None);
        let other = self.scene("another");
        same("the same slot of another job", other.claim(slot, LEASE, &RunId::random()).await, None);
    }

    async fn a_lease_runs_out_by_its_own_length(&self) {
        let scene = self.scene("length");
        let (first, second) = (RunId::random(), RunId::random());
        same("a claim for five seconds", scene.claim(scene.slot(0), SHORT_LEASE, &first).await, None);
        same("the next slot within them", scene.claim(scene.slot(1), LEASE, &second).await, Some(LostCause::Held));
        self.ahead(LATER);
        same("the next slot after them", scene.claim(scene.slot(1), LEASE, &second).await, None);
        same("the superseded run holds it", scene.holds(scene.slot(0), &first).await, false);
        let scene = self.scene("length");
        same("a claim for minutes", scene.claim(scene.slot(0), LEASE, &first).await, None);
        self.ahead(LATER);
        let shorter = scene.claim(scene.slot(1), SHORT_LEASE, &second).await;
        same("the next slot after seconds, of a claimer with a lease of seconds", shorter, Some(LostCause::Held));
    }

    async fn a_clock_that_is_off_claims_nothing(&self) {
        let scene = self.scene("skew");
        for off in [OFF, -OFF] {
            self.ahead(off);
            let lost = scene.claim(scene.slot(0), LEASE, &RunId::random()).await;
            same("a claim of a clock that is five minutes off", lost, Some(LostCause::Skew));
        }
        self.ahead(0);
        same("the last slot after claims that were refused", scene.last_slot().await, None);
        same("a claim after them", scene.claim(scene.slot(0), LEASE, &RunId::random()).await, None);
    }

    async fn a_slot_that_is_not_yet_is_nobodys(&self) {
        let scene = self.scene("early");
        for minutes in NOT_YET {
            let lost = scene.claim(scene.slot(minutes), LEASE, &RunId::random()).await;
            same("a claim of a slot that is more than a minute ahead", lost, Some(LostCause::Early));
        }
        same("the last slot after claims of slots that are not yet", scene.last_slot().await, None);
        same("the slot of now after them", scene.claim(scene.slot(10), LEASE, &RunId::random()).await, None);
    }

    async fn only_the_holder_releases(&self) {
        let scene = self.scene("release");
        let (first, second) = (RunId::random(), RunId::random());
        same("a claim", scene.claim(scene.slot(0), SHORT_LEASE, &first).await, None);
        self.ahead(LATER);
        same("the next slot, when it has run out", scene.claim(scene.slot(1), LEASE, &second).await, None);
        scene.release(&first).await;
        same("it is held after a superseded run released", scene.holds(scene.slot(1), &second).await, true);
        let third = scene.claim(scene.slot(2), LEASE, &RunId::random()).await;
        same("the slot after it, when a superseded run has released", third, Some(LostCause::Held));
    }

    async fn only_the_holder_renews(&self) {
        let scene = self.scene("renew");
        let (holder, other) = (RunId::random(), RunId::random());
        let (slot, next) = (scene.slot(0), scene.slot(1));
        same("a claim", scene.claim(slot, SHORT_LEASE, &holder).await, None);
        same("another run renews", scene.renew(slot, SHORT_LEASE, &other).await, Ok(false));
        same("the holder renews another slot", scene.renew(next, SHORT_LEASE, &holder).await, Ok(false));
        same("the holder renews", scene.renew(slot, LEASE, &holder).await, Ok(true));
        self.ahead(OFF);
        let off = scene.renew(slot, LEASE, &holder).await;
        same("the holder renews, its clock five minutes off", off, Err(LeaseErrorKind::Skew));
        self.ahead(LATER);
        let claimed = scene.claim(next, LEASE, &other).await;
        same("the next slot after the first lease, in the renewed one", claimed, Some(LostCause::Held));
    }

    async fn only_the_holder_hands_back(&self) {
        let scene = self.scene("hand-back");
        let (first, second, third) = (RunId::random(), RunId::random(), RunId::random());
        let (slot, next) = (scene.slot(0), scene.slot(2));
        same("a claim", scene.claim(slot, LEASE, &first).await, None);
        scene.release(&first).await;
        for _ in 0..2 {
            same("the next slot, and its claim again", scene.claim(next, LEASE, &second).await, None);
        }
        scene.hand_back(next, &third).await;
        scene.hand_back(slot, &first).await;
        scene.hand_back(scene.slot(3), &second).await;
        same("it is held after others, or for another slot, handed back", scene.holds(next, &second).await, true);
        scene.hand_back(next, &second).await;
        same("it is held after the hand-back", scene.holds(next, &second).await, false);
        same("the last slot after the hand-back", scene.last_slot().await, Some(slot));
        same("the slot that was handed back, in the row", scene.handed_back().await, Some(next));
        let between = scene.claim(scene.slot(1), LEASE, &third).await;
        same("a slot between the one before and the one that was handed back", between, Some(LostCause::Slot));
        same("the slot that was handed back, of another run", scene.claim(next, LEASE, &third).await, None);
        scene.hand_back(next, &third).await;
        same("the last slot after the second hand-back", scene.last_slot().await, Some(slot));
        same("the next claim", scene.claim(next, LEASE, &first).await, None);
        same("the slot that was handed back and claimed again, in the row", scene.handed_back().await, None);
        let first_ever = self.scene("hand-back");
        same("the first claim", first_ever.claim(slot, LEASE, &first).await, None);
        first_ever.hand_back(slot, &first).await;
        same("the first slot, handed back", first_ever.claim(slot, LEASE, &second).await, None);
    }

    async fn a_paused_job_claims_nothing(&self) {
        let scene = self.scene("pause");
        let (first, second) = (RunId::random(), RunId::random());
        scene.pause("before the first claim").await;
        same("the last slot of a job that was paused before its first claim", scene.last_slot().await, None);
        let lost = scene.claim(scene.slot(0), LEASE, &first).await;
        same("a claim of a job that is paused", lost, Some(LostCause::Paused));
        scene.resume().await;
        same("a pause that has ended", scene.paused().await, None);
        same("a claim after the pause", scene.claim(scene.slot(0), LEASE, &first).await, None);
        scene.pause("during a run").await;
        scene.pause("because").await;
        same("the reason of a pause that was given a second one", scene.paused().await.as_deref(), Some("because"));
        same("the holder holds its lease in a pause", scene.holds(scene.slot(0), &first).await, true);
        same("the holder renews it", scene.renew(scene.slot(0), LEASE, &first).await, Ok(true));
        same(
            "the holder claims again, since the answer may have been lost",
            scene.claim(scene.slot(0), LEASE, &first).await,
            None,
        );
        scene.release(&first).await;
        let lost = scene.claim(scene.slot(1), LEASE, &second).await;
        same("the next slot in a pause", lost, Some(LostCause::Paused));
        scene.resume().await;
        same("the next slot after it", scene.claim(scene.slot(1), LEASE, &second).await, None);
        let other = self.scene("pause");
        other.resume().await;
        same(
            "a job that was resumed and never paused",
            other.claim(scene.slot(0), LEASE, &RunId::random()).await,
            None,
        );
    }

    async fn by_hand_the_lease_is_taken_and_no_slot(&self) {
        let scene = self.scene("manual");
        let (first, second) = (RunId::random(), RunId::random());
        let never = scene.by_hand(&first).await.unwrap_or(0);
        same("the token of a claim by hand before there was a slot", never, -1);
        same("the last slot after it", scene.last_slot().await, None);
        same("the lease is held by hand", scene.holds_under(never, &first).await, true);
        scene.release(&first).await;
        same("the first slot after it", scene.claim(scene.slot(0), LEASE, &first).await, None);
        same("a claim by hand during a run", scene.by_hand(&second).await, Err(LostCause::Held));
        scene.release(&first).await;
        scene.pause("not in the way").await;
        let token = scene.slot(0).unix_millis();
        for _ in 0..2 {
            same(
                "the token of a claim by hand of a job that is paused, and again",
                scene.by_hand(&second).await,
                Ok(token),
            );
        }
        same("the last slot after a claim by hand", scene.last_slot().await, Some(scene.slot(0)));
        same("the run before holds the lease that was taken by hand", scene.holds_under(token, &first).await, false);
        scene.resume().await;
        let lost = scene.claim(scene.slot(1), LEASE, &first).await;
        same("the next slot during a run by hand", lost, Some(LostCause::Held));
        scene.release(&second).await;
        same("the next slot after a run by hand", scene.claim(scene.slot(1), LEASE, &first).await, None);
        scene.release(&first).await;
        self.ahead(OFF);
        same("a claim by hand of a clock that is off", scene.by_hand(&second).await, Err(LostCause::Skew));
    }

    async fn many_claim_and_one_wins(&self) {
        let scene = self.scene("many");
        let runs: Vec<RunId> = (0..CLAIMERS).map(|_| RunId::random()).collect();
        let claims = runs.iter().map(|run| scene.claim_until_answered(scene.slot(0), run));
        let answers = join_all(claims).await;
        let winners = answers.iter().filter(|lost| lost.is_none()).count();
        same("the winners of 16 claims of one slot at once", winners, 1);
    }
}

impl Scene<'_> {
    fn slot(&self, minutes: i64) -> Slot {
        Slot::from_unix_millis(self.start.unix_millis() + minutes * 60_000)
    }

    fn ask<'a>(&'a self, slot: Slot, lease: Duration, run: &'a RunId) -> Claim<'a> {
        Claim::new(&self.job, slot, lease, run, &self.check.clock)
    }

    async fn claim(&self, slot: Slot, lease: Duration, run: &RunId) -> Option<LostCause> {
        answered("claim", self.check.store.claim(&self.ask(slot, lease, run)).await).lost
    }

    async fn claim_until_answered(&self, slot: Slot, run: &RunId) -> Option<LostCause> {
        let ask = self.ask(slot, LEASE, run);
        for _ in 1..ASKED {
            if let Ok(claimed) = self.check.store.claim(&ask).await {
                return claimed.lost;
            }
        }
        self.claim(slot, LEASE, run).await
    }

    /// The token, or why not.
    async fn by_hand(&self, run: &RunId) -> Result<i64, LostCause> {
        let claim = Claim::manual(&self.job, LEASE, run, &self.check.clock);
        let claimed = answered("claim", self.check.store.claim(&claim).await);
        claimed.lost.map_or(Ok(claimed.token), Err)
    }

    async fn holds(&self, slot: Slot, run: &RunId) -> bool {
        self.holds_under(slot.unix_millis(), run).await
    }

    async fn holds_under(&self, token: i64, run: &RunId) -> bool {
        answered("holds", self.check.store.holds(&self.job, token, run.as_str()).await)
    }

    async fn renew(&self, slot: Slot, lease: Duration, run: &RunId) -> Result<bool, LeaseErrorKind> {
        let renewed = self.check.store.renew(&self.ask(slot, lease, run), slot.unix_millis()).await;
        renewed.map_err(|error| error.kind())
    }

    async fn pause(&self, reason: &str) {
        answered("pause", self.check.store.pause(&self.job, reason).await);
    }

    async fn resume(&self) {
        answered("resume", self.check.store.resume(&self.job).await);
    }

    async fn handed_back(&self) -> Option<Slot> {
        answered("row", self.check.store.row(&self.job).await)?.handed_back
    }

    /// The reason.
    async fn paused(&self) -> Option<String> {
        Some(answered("row", self.check.store.row(&self.job).await)?.paused?.reason)
    }

    async fn release(&self, run: &RunId) {
        answered("release", self.check.store.release(&self.job, run.as_str()).await);
    }

    async fn hand_back(&self, slot: Slot, run: &RunId) {
        answered("hand_back", self.check.store.hand_back(&self.job, slot, run.as_str()).await);
    }

    async fn last_slot(&self) -> Option<Slot> {
        answered("row", self.check.store.row(&self.job).await)?.last_slot
    }
}

fn answered<T>(asked: &str, answer: Result<T, crate::jobs::LeaseError>) -> T {
    answer.unwrap_or_else(|error| panic!("`{asked}` of a store that is there: {error}"))
}

#[allow(clippy::needless_pass_by_value, reason = "it reads as `assert_eq!` does")]
fn same<T: PartialEq + fmt::Debug>(asked: &str, answer: T, expected: T) {
    assert!(
        answer == expected,
        "the lease store breaks a rule: {asked}: the answer is {answer:?} and must be {expected:?}"
    );
}
