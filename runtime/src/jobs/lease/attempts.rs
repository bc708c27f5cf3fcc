//! Asking a store again: only after a lost connection or contention, a few times, always with the same run
//! (`docs/rules.md#one-statement-claims-a-slot`, `docs/rules.md#every-policy-ends`).

use std::time::Duration;

use super::{
    error::{LeaseError, LeaseErrorKind},
    store::{Claim, Claimed, LeaseStore},
};
use crate::{
    clock::Clock,
    jobs::{shutdown::ShutdownWatch, slot::Slot},
    policy::transient,
    retry::{NamedPolicy as _, Policy, gap},
};

/// A claim may be repeated by the same run, and a release sets a state: both may follow a lost connection.
const POLICY: Policy = transient::POLICY;

/// The wait before repeat `n`, counted from 0.
fn claim_gap(n: u32) -> Duration {
    gap(&POLICY, n, Duration::ZERO, rand::random())
}

fn worth_repeating(error: &LeaseError) -> bool {
    matches!(error.kind(), LeaseErrorKind::ConnectionLost | LeaseErrorKind::Contention)
}

/// Claims. `Ok(None)`: not asked, because the process shuts down.
pub(crate) async fn claim(
    store: &dyn LeaseStore,
    clock: &dyn Clock,
    claim: &Claim<'_>,
    shutdown: &ShutdownWatch,
) -> Result<Option<Claimed>, LeaseError> {
    let mut repeats = 0;
    loop {
        if !shutdown.is_running() {
            return Ok(None);
        }
        match store.claim(claim).await {
            Ok(claimed) => return Ok(Some(claimed)),
            Err(error) if repeats == POLICY.retries() || !worth_repeating(&error) => return Err(error),
            Err(_) => clock.sleep(claim_gap(repeats)).await,
        }
        repeats += 1;
    }
}

/// Releases a lease.
pub(crate) async fn release(
    store: &dyn LeaseStore,
    clock: &dyn Clock,
    name: &str,
    run: &str,
) -> Result<(), LeaseError> {
    repeated(clock, async || store.release(name, run).await).await
}

/// Gives a slot back.
pub(crate) async fn hand_back(
    store: &dyn LeaseStore,
    clock: &dyn Clock,
    name: &str,
    slot: Slot,
    run: &str,
) -> Result<(), LeaseError> {
    repeated(clock, async || store.hand_back(name, slot, run).await).await
}

/// Asks again for what sets a state, so that a repeat after a lost acknowledgement is harmless.
async fn repeated<F: Future<Output = Result<(), LeaseError>>>(
    clock: &dyn Clock,
    ask: impl Fn() -> F,
) -> Result<(), LeaseError> {
    let mut repeats = 0;
    loop {
        match ask().await {
            Ok(()) => return Ok(()),
            Err(error) if repeats == POLICY.retries() || !worth_repeating(&error) => return Err(error),
            Err(_) => clock.sleep(claim_gap(repeats)).await,
        }
        repeats += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gaps_are_capped() {
        for n in (0..8).chain([u32::MAX]) {
            for _ in 0..200 {
                assert!(claim_gap(n) <= POLICY.cap());
            }
        }
    }
}
