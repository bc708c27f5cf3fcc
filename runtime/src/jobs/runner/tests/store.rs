//! The runner over a store that fails, loses its answers, or has another clock.

use super::*;

/// Answers as told, then as the memory does; `Err(true)` applies the claim and loses the answer.
struct Flaky {
    leases: MemoryLeases,
    claims: Mutex<Vec<(LeaseErrorKind, bool)>>,
    check: Option<LeaseErrorKind>,
    release: Option<LeaseErrorKind>,
}

impl LeaseStore for Flaky {
    fn check(&self) -> BoxFuture<'_, Result<(), LeaseError>> {
        Box::pin(ready(self.check.map_or(Ok(()), |kind| Err(LeaseError::new(kind)))))
    }
    fn claim<'a>(&'a self, claim: &'a Claim<'a>) -> BoxFuture<'a, Result<Claimed, LeaseError>> {
        let told = self.claims.lock().expect("whole").pop();
        Box::pin(async move {
            match told {
                None => self.leases.claim(claim).await,
                Some((kind, applied)) => {
                    if applied {
                        self.leases.claim(claim).await?;
                    }
                    Err(LeaseError::new(kind))
                }
            }
        })
    }
    fn holds<'a>(&'a self, name: &'a str, token: i64, run: &'a str) -> BoxFuture<'a, Result<bool, LeaseError>> {
        self.leases.holds(name, token, run)
    }
    fn renew<'a>(&'a self, claim: &'a Claim<'a>, token: i64) -> BoxFuture<'a, Result<bool, LeaseError>> {
        self.leases.renew(claim, token)
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
        match self.release {
            Some(kind) => Box::pin(ready(Err(LeaseError::new(kind)))),
            None => self.leases.release(name, run),
        }
    }
}

/// Runs the nightly job once over such a store; waits pass as they come.
async fn nightly_over(claims: Vec<(LeaseErrorKind, bool)>, release: Option<LeaseErrorKind>) -> (RunOutcome, App) {
    let (clock, app, leases) = start();
    clock.set_wall(slot(1, 3, 0).time());
    let store = Flaky { leases, claims: Mutex::new(claims), check: None, release };
    let jobs = ONLY_NIGHTLY.with(app.clone()).clock(clock.clone()).leases(store);
    let run = tokio::spawn(async move { crate::testing::run(&jobs, "nightly", slot(1, 3, 0)).await });
    while !run.is_finished() {
        clock.advance(Duration::from_millis(500));
        settle().await;
    }
    (run.await.expect("no panic").expect("known"), app)
}

#[tokio::test]
async fn a_claim_is_asked_again_with_the_same_run_and_within_bounds() {
    let lost = LeaseErrorKind::ConnectionLost;
    let (outcome, app) = nightly_over(vec![(lost, true)], None).await;
    assert!(outcome.is_completed(), "a lost acknowledgement loses no slot: {outcome:?}");
    assert_eq!(app.count("nightly"), 1);

    let (outcome, _) = nightly_over(vec![(LeaseErrorKind::Contention, false), (lost, true), (lost, false)], None).await;
    assert!(outcome.is_completed(), "three repeats: {outcome:?}");

    let (outcome, app) = nightly_over(vec![(lost, false); 4], None).await;
    assert_eq!(format!("{outcome:?}"), "NotClaimed(StoreFailed)", "not a fourth one");
    assert_eq!(app.count("nightly"), 0);

    let (outcome, _) = nightly_over(vec![(LeaseErrorKind::Refused, false)], None).await;
    assert_eq!(format!("{outcome:?}"), "NotClaimed(StoreFailed)", "a refusal is final");

    let (outcome, app) = nightly_over(vec![], Some(LeaseErrorKind::ConnectionLost)).await;
    assert!(outcome.is_completed() && app.count("nightly") == 1, "a release that fails changes nothing: {outcome:?}");
}

#[tokio::test]
async fn a_store_that_is_down_at_the_start_is_a_typed_error_and_later_it_is_not() {
    let (clock, app, leases) = start();
    let store = Flaky {
        leases: leases.clone(),
        claims: Mutex::default(),
        check: Some(LeaseErrorKind::MissingTable),
        release: None,
    };
    let ended = ONLY_NIGHTLY.with(app.clone()).clock(clock.clone()).leases(store).run_until(pending()).await;
    let refused = ended.expect_err("refused");
    let cause = std::error::Error::source(&refused).expect("the store's own answer").to_string();
    assert!(cause.contains("leases.install()"), "{refused}: {cause}");

    let claims = Mutex::new(vec![(LeaseErrorKind::PoolExhausted, false)]);
    let store = Flaky { leases, claims, check: None, release: None };
    tokio::spawn(ONLY_NIGHTLY.with(app.clone()).clock(clock.clone()).leases(store).run_until(pending()).into_future());
    settle().await;
    for day in 1..=2 {
        clock.set_wall(slot(day, 3, 0).time());
        clock.advance_waits(Duration::from_secs(30));
        settle().await;
    }
    assert_eq!(app.notes(), [format!("nightly {}", slot(2, 3, 0))], "one slot skipped, the loop lives");
}

#[tokio::test]
async fn a_skewed_replica_claims_nothing() {
    let (clock, app, leases) = start();
    let ahead = VirtualClock::at(slot(1, 3, 0));
    let jobs = ONLY_NIGHTLY.with(app.clone()).clock(ahead).leases(leases);
    let outcome = crate::testing::run(&jobs, "nightly", slot(1, 3, 0)).await.expect("known");
    assert_eq!(format!("{outcome:?}"), "NotClaimed(Lost(Skew))");
    assert_eq!((app.count("nightly"), clock.sleepers()), (0, 0));
    let unknown = crate::testing::run(&jobs, "weekly", slot(1, 3, 0)).await.expect_err("unknown");
    assert_eq!(unknown.to_string(), "no job of this registry is named `weekly`; its jobs are `nightly`");
}
