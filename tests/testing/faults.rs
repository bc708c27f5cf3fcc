//! `FaultyLeases`: which faults apply, to which question, and how often.

use futures_util::FutureExt as _;
use steadfast::{
    LeaseStore as _, Slot,
    jobs::{Claim, Claimed, LEASE_MARGIN, LeaseError, LeaseErrorKind, RunId},
    testing::{Fault, FaultyLeases, MemoryLeases, Question, VirtualClock, assert_lease_store},
};

struct Scene {
    slot: Slot,
    clock: VirtualClock,
    memory: MemoryLeases,
    leases: FaultyLeases,
    run: RunId,
}

impl Scene {
    fn new() -> Self {
        let slot = Slot::utc(2026, 1, 2, 3, 0).unwrap();
        let clock = VirtualClock::at(slot);
        let memory = MemoryLeases::new(clock.clone());
        Self { slot, leases: FaultyLeases::new(memory.clone()), clock, memory, run: RunId::random() }
    }

    fn ask(&self) -> Claim<'_> {
        Claim::new("job", self.slot, LEASE_MARGIN, &self.run, &self.clock)
    }

    async fn claim(&self) -> Result<Claimed, LeaseError> {
        self.leases.claim(&self.ask()).await
    }
}

fn is_lost<T: std::fmt::Debug>(answer: Result<T, LeaseError>) -> bool {
    answer.unwrap_err().kind() == LeaseErrorKind::ConnectionLost
}

#[tokio::test]
async fn without_a_fault_it_is_the_store() {
    let Scene { clock, leases, .. } = Scene::new();
    assert_lease_store(&leases, clock).await;
    for question in [Question::Check, Question::Claim, Question::Holds, Question::Renew, Question::Row] {
        assert!(leases.asked(question) > 0, "{question:?}");
    }
    assert!(leases.asked(Question::HandBack) > 0 && leases.asked(Question::Release) > 0);
}

#[tokio::test]
async fn a_lost_question_is_not_applied_and_a_lost_answer_is() {
    for (fault, applied) in [(Fault::QuestionLost, false), (Fault::AnswerLost, true)] {
        let scene = Scene::new();
        let Scene { slot, memory, leases, run, .. } = &scene;
        let (slot, run) = (*slot, run.as_str());
        leases.next(Question::Claim, fault);
        assert!(is_lost(scene.claim().await));
        assert_eq!(memory.is_held("job"), applied, "{fault:?}");
        assert!(scene.claim().await.unwrap().is_won(), "one claim met it");

        leases.next(Question::Release, fault);
        assert!(is_lost(leases.release("job", run).await));
        assert_eq!(memory.is_held("job"), !applied, "{fault:?}");

        leases.next(Question::HandBack, fault);
        assert!(is_lost(leases.hand_back("job", slot, run).await));
        assert_eq!(memory.last_slot("job").is_none(), applied, "{fault:?}");

        leases.next(Question::Renew, fault);
        leases.next(Question::Holds, fault);
        leases.next(Question::Row, fault);
        leases.next(Question::Check, fault);
        assert!(is_lost(leases.check().await) && is_lost(leases.row("job").await));
        assert!(
            is_lost(leases.holds("job", slot.unix_millis(), run).await)
                && is_lost(leases.renew(&scene.ask(), slot.unix_millis()).await)
        );
        leases.check().await.unwrap();
    }
}

#[tokio::test]
async fn what_is_held_goes_on_when_it_is_let_go() {
    for (fault, applied) in [(Fault::QuestionHeld, false), (Fault::AnswerHeld, true)] {
        let scene = Scene::new();
        scene.leases.next(Question::Claim, fault);
        let ask = scene.ask();
        let mut claim = scene.leases.claim(&ask);
        assert!((&mut claim).now_or_never().is_none());
        assert_eq!((scene.leases.held(), scene.memory.is_held("job")), (1, applied), "{fault:?}");
        scene.leases.let_go();
        assert!(claim.await.unwrap().is_won());
        assert_eq!((scene.leases.held(), scene.memory.is_held("job")), (0, true));
        // Who gives up takes a question along; what was let go before says nothing of the next one.
        scene.leases.next(Question::Release, fault);
        assert!(scene.leases.release("job", scene.run.as_str()).now_or_never().is_none());
        assert_eq!((scene.leases.held(), scene.memory.is_held("job")), (0, !applied), "{fault:?}");
    }
}

#[tokio::test]
async fn a_store_that_is_down_uses_up_no_fault() {
    let scene = Scene::new();
    let of_the_test = scene.leases.clone();
    of_the_test.next(Question::Claim, Fault::AnswerLost);
    of_the_test.next(Question::Claim, Fault::QuestionLost);
    of_the_test.down();
    assert!(is_lost(scene.claim().await) && is_lost(scene.leases.check().await));
    assert!(!scene.memory.is_held("job"));
    of_the_test.up();
    assert!(is_lost(scene.claim().await) && scene.memory.is_held("job"), "in the order in which they were said");
    of_the_test.forget();
    assert!(scene.claim().await.unwrap().is_won());
    assert_eq!(scene.leases.asked(Question::Claim), 3);
}
