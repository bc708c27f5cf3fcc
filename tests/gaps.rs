//! The wait between attempts: never above the cap, whatever the policy, the count and the draw.

use std::{collections::HashSet, time::Duration};

use rand::RngExt;
use steadfast::{
    __private::{Capped, On, capped},
    retry::{Jitter, Policy, gap},
};

const JITTERS: [Jitter; 4] = [Jitter::Full, Jitter::Equal, Jitter::Decorrelated, Jitter::Proportional];

fn policy(base_ms: u64, cap_ms: u64, retries: u32, jitter: Jitter) -> Policy {
    capped(Capped { name: "test", base_ms, cap_ms, retries, jitter, on: On::NONE })
}

/// A number of any magnitude.
fn magnitude(random: &mut impl RngExt) -> u64 {
    random.random::<u64>() >> random.random_range(0..64)
}

#[test]
fn none_of_a_million_gaps_of_each_jitter_is_above_the_cap() {
    let mut random = rand::rng();
    for jitter in JITTERS {
        for _ in 0..100_000 {
            let (base, cap) = (magnitude(&mut random), magnitude(&mut random));
            let policy = policy(base, cap, random.random_range(1..=10), jitter);
            let mut previous = Duration::ZERO;
            for draw in [0, 1, u32::MAX / 2, u32::MAX - 1, u32::MAX] {
                for n in [random.random_range(0..12), u32::try_from(magnitude(&mut random) >> 32).unwrap()] {
                    let wait = gap(&policy, n, previous, draw);
                    assert!(wait <= policy.cap(), "{jitter:?} base {base} cap {cap} n {n} draw {draw}: {wait:?}");
                    previous = wait;
                }
            }
        }
        for n in [31, 32, 63, 64, 127, 128, 1024, 1025, u32::MAX] {
            let policy = policy(50, 200, 3, jitter);
            assert_eq!(gap(&policy, n, policy.cap(), u32::MAX), policy.cap(), "{jitter:?} {n}");
        }
    }
}

/// At the cap the waits still differ: clamping after jitter would put everybody on the cap itself.
#[test]
fn there_is_no_herd_at_the_cap() {
    let mut random = rand::rng();
    for jitter in JITTERS {
        let policy = policy(50, 200, 3, jitter);
        let waits: Vec<_> = (0..1_000).map(|_| gap(&policy, 9, policy.cap(), random.random())).collect();
        let distinct: HashSet<_> = waits.iter().collect();
        assert!(distinct.len() >= 900, "{jitter:?}: {}", distinct.len());
        assert!(waits.iter().filter(|wait| **wait == policy.cap()).count() < 10, "{jitter:?}");
    }
}

/// The 0.35 s that its documentation promises hold for all gaps together.
#[test]
fn the_waits_of_the_shipped_policy_stay_within_what_its_documentation_says() {
    use steadfast::{policy::contention, retry::NamedPolicy};
    let mut random = rand::rng();
    for _ in 0..10_000 {
        let mut total = Duration::ZERO;
        for n in 0..contention::POLICY.retries() {
            total += gap(&contention::POLICY, n, Duration::ZERO, random.random());
        }
        assert!(total <= contention::POLICY.longest_wait(), "{total:?}");
        assert!(total >= Duration::from_millis(100), "the last gap is held high: {total:?}");
    }
}
