//! One layer retries a failure: whatever is nested in whatever, a body runs retries + 1 times.

use std::{sync::Mutex, time::Duration};

use steadfast::{Classify as _, Kind, Stopped, durable, provider_call};

use super::{TOLD, deadline::CallError};
use crate::engines::Runs;

#[provider_call(retry = lavish, idempotent = read)]
async fn upstream(runs: &Runs, script: &Mutex<Vec<bool>>) -> Result<(), CallError> {
    let run = runs.count();
    match script.lock().unwrap().pop() {
        Some(true) => Ok(()),
        Some(false) | None => Err(CallError::Unavailable(run)),
    }
}

#[provider_call(retry = lavish, idempotent = read)]
async fn middle(runs: &Runs, calls: &Runs) -> Result<(), CallError> {
    runs.count();
    upstream(calls, &Mutex::default()).await
}

#[provider_call(retry = lavish, idempotent = read)]
async fn outer(runs: &Runs, inner: &Runs, calls: &Runs) -> Result<(), CallError> {
    runs.count();
    middle(inner, calls).await
}

#[tokio::test(start_paused = true)]
async fn three_layers_make_four_calls() {
    let (runs, inner, calls) = (Runs::default(), Runs::default(), Runs::default());
    let told = outer(&runs, &inner, &calls).await;
    assert!(matches!(told, Err(CallError::Unavailable(4))), "{told:?}");
    assert_eq!((runs.total(), inner.total(), calls.total()), (4, 4, 4));
}

#[provider_call(retry = lavish, idempotent = read)]
async fn around_a_write(writes: &Runs) -> Result<(), CallError> {
    write(writes).await
}

#[provider_call(retry = provider, idempotent = read)]
async fn asks(runs: &Runs) -> Result<(), CallError> {
    Err(CallError::Unavailable(runs.count()))
}

/// A write without a key.
#[provider_call(retry = limited)]
async fn write(runs: &Runs) -> Result<(), CallError> {
    runs.count();
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn a_write_without_a_key_does_not_run_inside_another_call() {
    let writes = Runs::default();
    let Err(CallError::Unit(failure)) = around_a_write(&writes).await else { panic!("it was called") };
    assert_eq!((failure.kind(), failure.attempts(), writes.total()), (Kind::Nested, 0, 0));
}

#[tokio::test(start_paused = true)]
async fn under_a_durable_retrier_a_call_runs_once() {
    let runs = Runs::default();
    assert!(durable::scope(asks(&runs)).await.is_err());
    assert_eq!(runs.total(), 1);
    // It is no retry scope: a write is no replay's victim there.
    let writes = Runs::default();
    durable::scope(write(&writes)).await.unwrap();
    assert_eq!(writes.total(), 1);
    assert!(asks(&runs).await.is_err());
    assert_eq!(runs.total(), 1 + 4, "outside of it, the policy holds");
}

#[provider_call(retry = told, idempotent = read)]
async fn watched(runs: &Runs) -> Result<(), CallError> {
    Err(CallError::Unavailable(runs.count()))
}

#[tokio::test(start_paused = true)]
async fn a_hook_sees_each_retry_and_nothing_else() {
    watched(&Runs::default()).await.unwrap_err();
    let told = TOLD.lock().unwrap().clone();
    let [one, two] = &told[..] else { panic!("{told:#?}") };
    for (text, attempt) in [(one, "attempt: 1"), (two, "attempt: 2")] {
        for part in ["one_layer::watched\"", "policy: \"told\"", "kind: Unavailable", attempt] {
            assert!(text.contains(part), "{text} without {part}");
        }
    }
}

#[provider_call(retry = poor, idempotent = read)]
async fn poor(runs: &Runs) -> Result<(), CallError> {
    Err(CallError::Unavailable(runs.count()))
}

/// Two are free in this second; after that a call runs once.
#[tokio::test(start_paused = true)]
async fn a_budget_is_shared_by_all_calls_and_refills() {
    let runs = Runs::default();
    for total in [3, 4, 5] {
        let error = poor(&runs).await.unwrap_err();
        assert_eq!(error.failure().map(|failure| failure.kind), Some(Kind::Unavailable), "the real error");
        assert_eq!(runs.total(), total);
    }
    tokio::time::advance(Duration::from_secs(1)).await;
    poor(&runs).await.unwrap_err();
    assert_eq!(runs.total(), 8);
}

#[test]
fn the_reasons_have_words() {
    let all = [
        Stopped::NotRetried,
        Stopped::Spent,
        Stopped::Deadline,
        Stopped::RetryAfter,
        Stopped::Budget,
        Stopped::Durable,
    ];
    let words = all.map(|stopped| stopped.to_string());
    assert_eq!(words, ["not_retried", "spent", "deadline", "retry_after", "budget", "durable"]);
}
