//! Runs whose process is paused while an answer of the store is on its way: what the model of the leases found
//! (`tests/bin/lease_model`).

use std::{
    future::pending,
    sync::atomic::{AtomicBool, Ordering},
};

use super::{super::shutdown::Shutdown, *};
use crate::{
    jobs::{
        Claim, Claimed, Cron, Entry, Job, JobMeta, LEASE_MARGIN, LeaseError, LeaseMode, LeaseRow, Listed, NeedsLeases,
        Registry, Run,
    },
    testing::{MemoryLeases, VirtualClock},
};

const PAUSE: Duration = Duration::from_mins(10);

/// Counts its starts and never ends by itself.
struct Hanging<const HEARTBEAT: bool>;
impl<const HEARTBEAT: bool> JobMeta for Hanging<HEARTBEAT> {
    const META: Meta = Meta {
        name: "hanging",
        cron: Cron::from_masks(1, 1 << 3, !0, !0, !0),
        cron_text: "",
        exclusive: true,
        timeout: Duration::from_mins(if HEARTBEAT { 60 } else { 5 }),
        lease: LeaseMode::new(HEARTBEAT, false),
        catch_up: None,
        splay: Duration::ZERO,
        lease_in: None,
    };
}
impl<const HEARTBEAT: bool> Listed<AtomicBool> for Hanging<HEARTBEAT> {
    const ENTRY: Entry<AtomicBool> = Entry::job::<Self>();
}
impl<const HEARTBEAT: bool> Job<AtomicBool> for Hanging<HEARTBEAT> {
    async fn run(_: Run<'_>, begun: &AtomicBool) -> Result<(), JobError> {
        begun.store(true, Ordering::Relaxed);
        pending().await
    }
}
static TIMED: Registry<AtomicBool, NeedsLeases> = Registry::new(&[Entry::of::<Hanging<false>>()]);
static BEATING: Registry<AtomicBool, NeedsLeases> = Registry::new(&[Entry::of::<Hanging<true>>()]);

/// Takes its one step after a second.
struct Stepping;
impl JobMeta for Stepping {
    const META: Meta = Hanging::<false>::META;
}
impl Listed<AtomicBool> for Stepping {
    const ENTRY: Entry<AtomicBool> = Entry::job::<Self>();
}
impl Job<AtomicBool> for Stepping {
    async fn run(run: Run<'_>, stepped: &AtomicBool) -> Result<(), JobError> {
        run.clock().sleep(Duration::from_secs(1)).await;
        stepped.store(true, Ordering::Relaxed);
        Ok(())
    }
}
static STEPPING: Registry<AtomicBool, NeedsLeases> = Registry::new(&[Entry::of::<Stepping>()]);

/// The process is paused between what the store did and the answer to it.
struct Paused {
    leases: MemoryLeases,
    clock: VirtualClock,
    after_claim: Duration,
    after_renewal: Duration,
}

impl LeaseStore for Paused {
    fn check(&self) -> BoxFuture<'_, Result<(), LeaseError>> {
        LeaseStore::check(&self.leases)
    }
    fn claim<'a>(&'a self, claim: &'a Claim<'a>) -> BoxFuture<'a, Result<Claimed, LeaseError>> {
        Box::pin(async move {
            let claimed = self.leases.claim(claim).await;
            self.clock.advance(self.after_claim);
            claimed
        })
    }
    fn holds<'a>(&'a self, name: &'a str, token: i64, run: &'a str) -> BoxFuture<'a, Result<bool, LeaseError>> {
        self.leases.holds(name, token, run)
    }
    fn renew<'a>(&'a self, claim: &'a Claim<'a>, token: i64) -> BoxFuture<'a, Result<bool, LeaseError>> {
        Box::pin(async move {
            let renewed = self.leases.renew(claim, token).await;
            self.clock.advance(self.after_renewal);
            renewed
        })
    }
    fn hand_back<'a>(&'a self, name: &'a str, slot: Slot, run: &'a str) -> BoxFuture<'a, Result<(), LeaseError>> {
        self.leases.hand_back(name, slot, run)
    }
    fn pause<'a>(&'a self, name: &'a str, reason: &'a str) -> BoxFuture<'a, Result<(), LeaseError>> {
        self.leases.pause(name, reason)
    }
    fn resume<'a>(&'a self, name: &'a str) -> BoxFuture<'a, Result<(), LeaseError>> {
        self.leases.resume(name)
    }
    fn row<'a>(&'a self, name: &'a str) -> BoxFuture<'a, Result<Option<LeaseRow>, LeaseError>> {
        self.leases.row(name)
    }
    fn release<'a>(&'a self, name: &'a str, run: &'a str) -> BoxFuture<'a, Result<(), LeaseError>> {
        self.leases.release(name, run)
    }
}

fn slot(minute: u32) -> Slot {
    Slot::utc(2026, 1, 1, 3, minute).expect("a date")
}

async fn settle() {
    for _ in 0..100 {
        tokio::task::yield_now().await;
    }
}

/// Fires the job; `None`: it is alive after `after`. The second answer: did its function begin?
async fn fired(
    registry: &'static Registry<AtomicBool, NeedsLeases>,
    (after_claim, after_renewal, after): (Duration, Duration, Duration),
) -> (Option<String>, bool) {
    let clock = VirtualClock::at(slot(0));
    let store = Paused { leases: MemoryLeases::new(clock.clone()), clock: clock.clone(), after_claim, after_renewal };
    let jobs = Arc::new(registry.with(AtomicBool::new(false)).clock(clock.clone()).leases(store));
    let fired = Arc::clone(&jobs);
    let run = tokio::spawn(async move { fired.fire("hanging", slot(0).time()).await });
    settle().await;
    clock.advance(after);
    settle().await;
    let outcome =
        if run.is_finished() { Some(format!("{:?}", run.await.expect("no panic").expect("known"))) } else { None };
    (outcome, jobs.app().load(Ordering::Relaxed))
}

#[tokio::test]
async fn a_claim_whose_answer_comes_when_its_lease_is_over_starts_no_run() {
    let no = Duration::ZERO;
    let (outcome, begun) = fired(&TIMED, (PAUSE, no, no)).await;
    assert_eq!((outcome.as_deref(), begun), (Some("TimedOut"), false));
    let (outcome, begun) = fired(&BEATING, (PAUSE, no, no)).await;
    assert_eq!((outcome.as_deref(), begun), (Some("LeaseLost"), false));
}

#[tokio::test]
async fn a_run_ends_a_timeout_after_its_claim_and_not_after_its_answer() {
    let (late, almost, rest) = (Duration::from_mins(4), Duration::from_millis(59_999), Duration::from_mins(1));
    let (outcome, begun) = fired(&TIMED, (late, Duration::ZERO, almost)).await;
    assert_eq!((outcome, begun), (None, true));
    let (outcome, begun) = fired(&TIMED, (late, Duration::ZERO, rest)).await;
    assert_eq!((outcome.as_deref(), begun), (Some("TimedOut"), true));
}

#[tokio::test]
async fn a_run_that_was_paused_past_its_timeout_takes_no_further_step() {
    let (outcome, stepped) = fired(&STEPPING, (Duration::ZERO, Duration::ZERO, PAUSE)).await;
    assert_eq!((outcome.as_deref(), stepped), (Some("TimedOut"), false));
    let (outcome, stepped) = fired(&STEPPING, (Duration::ZERO, Duration::ZERO, Duration::from_secs(1))).await;
    assert_eq!((outcome.as_deref(), stepped), (Some("Completed"), true));
}

#[tokio::test]
async fn a_renewal_whose_answer_comes_when_its_lease_is_over_keeps_no_run_alive() {
    let minute = Duration::from_mins(1);
    let (outcome, _) = fired(&BEATING, (Duration::ZERO, PAUSE, minute)).await;
    assert_eq!(outcome.as_deref(), Some("LeaseLost"));
    let (outcome, _) = fired(&BEATING, (Duration::ZERO, Duration::ZERO, minute)).await;
    assert_eq!(outcome, None, "renewed");
}

/// Something of the later slot may have been committed: what is fenced goes up.
#[tokio::test]
async fn an_older_slot_stays_lost_after_a_later_one_was_handed_back() {
    let clock = VirtualClock::at(slot(0));
    let leases = MemoryLeases::new(clock.clone());
    let claim = async |slot, run: &RunId| {
        leases.claim(&Claim::new("hanging", slot, LEASE_MARGIN, run, &clock)).await.expect("an answer").is_won()
    };
    let (first, later, slow) = (RunId::random(), RunId::random(), RunId::random());
    assert!(claim(slot(0), &first).await);
    leases.release("hanging", first.as_str()).await.expect("released");
    clock.advance(Duration::from_mins(2));
    assert!(claim(slot(2), &later).await, "the claimer of the slot between is slow");
    leases.hand_back("hanging", slot(2), later.as_str()).await.expect("handed back");
    assert!(!claim(slot(1), &slow).await, "an older slot runs after a later one that was handed back");
    assert_eq!(leases.last_slot("hanging"), Some(slot(0)), "what is caught up is asked for by it");
    assert!(claim(slot(2), &slow).await);
}

/// Ten thousand may begin at once: what only an exclusive run needs is in a box. (It was 3,304 bytes before.)
#[tokio::test]
async fn a_run_is_small() {
    let jobs = TIMED.with(AtomicBool::new(false)).clock(VirtualClock::at(slot(0)));
    let (boundary, state, shutdown) = (jobs.boundary(), JobState::default(), Shutdown::new());
    let due = Due { entry: jobs.entry("hanging").expect("known"), slot: slot(0), trigger: Trigger::Timer };
    let size = size_of_val(&boundary.run(due, &state, None, shutdown.watch()));
    assert!(size <= 1536, "{size} bytes");
}
