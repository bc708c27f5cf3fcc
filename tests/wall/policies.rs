//! `policies!` and the names of its policies; the block itself is in `crate::retry`.

use std::time::Duration;

use steadfast::{
    Kind, atomic_unit,
    retry::{Jitter, NamedPolicy, Policy},
    sqlite::Tx,
};
use steadfast_tests::shop::BillingError;

use crate::retry;

// twin of: policy_inline, policy_unknown
#[atomic_unit(retry = contention)]
async fn by_name(tx: &mut Tx<'_>, trial: i64) -> Result<(), BillingError> {
    super::close(tx, trial).await
}

// twin of: policy_not_a_policy
#[atomic_unit(retry = steadfast::policy::contention)]
async fn by_path(tx: &mut Tx<'_>, trial: i64) -> Result<(), BillingError> {
    super::close(tx, trial).await
}

#[atomic_unit(retry = never)]
async fn without(tx: &mut Tx<'_>, trial: i64) -> Result<(), BillingError> {
    super::close(tx, trial).await
}

#[tokio::test]
async fn a_unit_names_its_policy() {
    let shop = super::shop().await;
    by_name(shop.pool(), 1).await.unwrap();
    by_path(shop.pool(), 2).await.unwrap();
    without(shop.pool(), 3).await.unwrap();
    assert_eq!(super::closed(&shop).await, 3);
}

fn numbers(policy: Policy) -> (u128, u128, u32) {
    (policy.base().as_millis(), policy.cap().as_millis(), policy.retries())
}

// twin of: policies_elsewhere, policies_twice, policy_without_end, policy_form
#[test]
fn a_policy_of_the_one_block_has_its_numbers() {
    assert_eq!(numbers(retry::contention::POLICY), (50, 200, 3));
    assert_eq!(retry::contention::POLICY.name(), "contention");
}

// twin of: policy_numbers
#[test]
fn the_least_and_the_most_are_policies() {
    assert_eq!(numbers(retry::least::POLICY), (1, 1, 1));
    assert_eq!(numbers(retry::most::POLICY), (1_000, 60_000, 10));
    assert_eq!(retry::most::POLICY.longest_wait(), Duration::from_secs(63 + 4 * 60));
}

#[test]
fn a_policy_is_there_where_its_cfg_says() {
    assert_eq!(numbers(retry::one_of_two::POLICY), (1, 2, 1));
}

// twin of: policy_gate
#[test]
fn a_policy_for_contention_may_have_a_gate() {
    assert!(retry::queued::POLICY.is_gated() && !retry::contention::POLICY.is_gated());
}

// twin of: policy_budget, policy_hook
#[test]
fn a_policy_may_have_a_budget_and_a_hook() {
    assert!(retry::sparing::EXTRAS.budget.is_some() && retry::told::EXTRAS.on_retry.is_some());
    assert!(retry::lavish::EXTRAS.budget.is_none() && retry::lavish::EXTRAS.on_retry.is_none());
}

// twin of: policy_durable
#[test]
fn a_durable_policy_computes_delays() {
    assert_eq!(retry::relay::ATTEMPTS, 20);
    assert!(retry::relay::delay(19, &7).is_some() && retry::relay::delay(20, &7).is_none());
}

// twin of: policy_jitter
#[test]
fn every_jitter_has_a_name() {
    assert_eq!(retry::contention::POLICY.jitter(), Jitter::Full);
    assert_eq!(retry::provider::POLICY.jitter(), Jitter::Equal);
    assert_eq!(retry::least::POLICY.jitter(), Jitter::Decorrelated);
    assert_eq!(retry::most::POLICY.jitter(), Jitter::Proportional);
}

// twin of: policy_kind_never_retried, policy_kind_unknown
#[test]
fn every_kind_that_may_be_retried_has_a_name() {
    const NEVER: [Kind; 4] = [Kind::StatementTimeout, Kind::PoolExhausted, Kind::Nested, Kind::Other];
    let retried = |policy: Policy, kinds: &[Kind]| kinds.iter().all(|kind| policy.retries_on(*kind));
    assert!(retried(retry::contention::POLICY, &[Kind::Deadlock, Kind::Serialization, Kind::LockTimeout]));
    assert!(retried(retry::least::POLICY, &[Kind::Serialization, Kind::LockTimeout]));
    assert!(retried(retry::transient::POLICY, &[Kind::ConnectionLost]));
    assert!(retried(retry::provider::POLICY, &[Kind::RateLimited, Kind::Unavailable]));
    assert!(!retry::deadlock_only::POLICY.retries_on(Kind::LockTimeout));
    for policy in [retry::contention::POLICY, retry::transient::POLICY, retry::provider::POLICY] {
        assert!(NEVER.iter().all(|kind| !policy.retries_on(*kind)), "{}", policy.name());
    }
}
