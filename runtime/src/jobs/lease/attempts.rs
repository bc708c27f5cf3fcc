//! Asking a store again: only after a lost connection or contention, a few times, always with the same run.

use std::time::Duration;

use rand::RngExt as _;

use super::{
    error::{LeaseError, LeaseErrorKind},
    run_id::RunId,
    store::{Claim, Claimed, LeaseStore},
};
use crate::{clock::Clock, jobs::{shutdown::ShutdownWatch, slot::Slot}};

/// Repeats after the first attempt (`docs/rules.md`, "cap every policy": the numbers of `transient`).
const REPEATS: u32 = 3;

/// The wait before repeat `n`, counted from 0: 200 ms doubling to at most 2 s, uniform jitter downward.
fn claim_gap(n: u32) -> Duration {
    let most = 200_u64.saturating_mul(1 << n.min(4)).min(2_000);
    Duration::from_millis(rand::rng().random_range(0..=most))
}

fn worth_repeating(error: &LeaseError) -> bool {
    matches!(error.kind(), LeaseErrorKind::ConnectionLost | LeaseErrorKind::Contention)
}

/// Claims a slot. `Ok(None)`: not asked, because the process shuts down.
pub(crate) async fn claim(
    store: &dyn LeaseStore,
    clock: &dyn Clock,
    (name, slot, lease): (&str, Slot, Duration),
    run: &RunId,
    shutdown: &ShutdownWatch,
) -> Result<Option<Claimed>, LeaseError> {
    let mut repeats = 0;
    loop {
        if !shutdown.may_claim() {
            return Ok(None);
        }
        match store.claim(&Claim::new(name, slot, lease, run, clock)).await {
            Ok(claimed) => return Ok(Some(claimed)),
            Err(error) if repeats == REPEATS || !worth_repeating(&error) => return Err(error),
            Err(_) => clock.sleep(claim_gap(repeats)).await,
        }
        repeats += 1;
    }
}

/// Releases a lease. It sets a state, so a repeat after a lost acknowledgement is harmless.
pub(crate) async fn release(store: &dyn LeaseStore, clock: &dyn Clock, name: &str, run: &RunId) -> Result<(), LeaseError> {
    let mut repeats = 0;
    loop {
        match store.release(name, run.as_str()).await {
            Ok(()) => return Ok(()),
            Err(error) if repeats == REPEATS || !worth_repeating(&error) => return Err(error),
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
                assert!(claim_gap(n) <= Duration::from_secs(2));
            }
        }
    }
}
